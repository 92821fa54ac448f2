import Foundation

/// One file to import, on disk or in memory.
package struct ImportSource {
    let path: String
    /// A stream of the content, not yet open; `nil` if the file is gone.
    let stream: () -> InputStream?

    /// The file at `path`, which stays on disk until it is imported.
    ///
    /// - Throws: an ``ImportError`` without a line: no such file, or no plain file.
    init(path: String) throws(ImportError) {
        self.path = path
        stream = { InputStream(fileAtPath: path) }
        let file = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file) else {
            throw error(.noSuchFile)
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw error(.notAFile)
        }
    }

    /// The file called `path`, with the content `bytes`.
    package init(path: String, bytes: [UInt8]) {
        self.path = path
        stream = { InputStream(data: Data(bytes)) }
    }

    /// `problem` as an error in this file, at `line`.
    func error(_ problem: ImportError.Problem, line: Int? = nil) -> ImportError {
        ImportError(path: path, line: line, problem: problem)
    }

    /// Reads all of the content, in pieces, and looks for what Foundation's parser must not see: on
    /// Linux it crashes at names that are not UTF-8 and at some declarations, and entities that a
    /// document declares can expand to any size.
    func check() throws(ImportError) {
        guard let stream = stream() else { throw error(.noSuchFile) }
        stream.open()
        defer { stream.close() }
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        var rest: [UInt8] = []
        var line: Int?
        while true {
            let count = stream.read(&piece, maxLength: piece.count)
            if count < 0 {
                let reason = stream.streamError?.localizedDescription ?? "unknown error"
                throw error(.unreadable(reason: reason))
            }
            let bytes = rest + piece[..<count]
            if line == nil { try checkBeginning(bytes) }
            // A character may go on in the next piece.
            let end = count == 0 ? bytes.count : bytes.lastIndex { $0 & 0xC0 != 0x80 } ?? 0
            line = try checkText(bytes[..<end], from: line ?? 1)
            if count == 0 { return }
            rest = Array(bytes[end...])
        }
    }

    /// - Returns: the number of the line behind `bytes`.
    private func checkText(_ bytes: ArraySlice<UInt8>, from first: Int) throws(ImportError) -> Int {
        let isText = String(validating: bytes, as: UTF8.self) != nil
        if isText { return first + bytes.count { $0 == UInt8(ascii: "\n") } }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let bad = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
        throw error(.notUTF8, line: first + bad)
    }

    /// Before `<plist` may stand the XML declaration, comments, and a document type that only names
    /// its definition, as in every file that Apple's programs write.
    private func checkBeginning(_ bytes: [UInt8]) throws(ImportError) {
        if bytes.isEmpty { throw error(.empty) }
        let beginning =
            #/
            \u{FEFF}?
            (?: <\?xml \s+ version="1\.0" (?: \s+ encoding="(?i:utf-8)" )? \s* \?> )?
            (?: \s | <!-- (?: (?! -- > ) . )* -- > )*
            (?: <!DOCTYPE [^\[>]* > (?: \s | <!-- (?: (?! -- > ) . )* -- > )* )?
            <plist [\s>]
            /#.dotMatchesNewlines().matchingSemantics(.unicodeScalar)
        guard String(decoding: bytes, as: UTF8.self).prefixMatch(of: beginning) != nil else {
            throw error(.notAPropertyList)
        }
    }
}
