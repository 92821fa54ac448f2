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

    /// Reads all of the content, in pieces, and looks for what Foundation's parser must not see: text
    /// that is not UTF-8, at which it crashes on Linux, and what ``MarkupCheck`` names.
    func check() throws(ImportError) {
        guard let stream = stream() else { throw error(.noSuchFile) }
        stream.open()
        defer { stream.close() }
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        var rest: [UInt8] = []
        var markup = MarkupCheck()
        var line = 1
        while true {
            let count = stream.read(&piece, maxLength: piece.count)
            if count < 0 {
                let reason = stream.streamError?.localizedDescription ?? "unknown error"
                throw error(.unreadable(reason: reason))
            }
            if count == 0, markup.isEmpty { throw error(.empty) }
            do throws(ImportError.Problem) {
                try markup.take(piece[..<count])
                if count == 0, !markup.isInList { throw .notAPropertyList }
            } catch {
                throw self.error(error, line: markup.isInList ? markup.line : nil)
            }
            let bytes = rest + piece[..<count]
            // A character may go on in the next piece.
            let end = count == 0 ? bytes.count : bytes.lastIndex { $0 & 0xC0 != 0x80 } ?? 0
            line = try checkText(bytes[..<end], from: line)
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
}
