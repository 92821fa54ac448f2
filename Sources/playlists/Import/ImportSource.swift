import Foundation

/// The bytes of one file, and the way from a place in them to an error with a line number.
package struct ImportSource: Sendable {
    let path: String
    /// Never empty.
    let bytes: [UInt8]

    /// Reads the whole file.
    ///
    /// - Throws: an ``ImportError`` without a line: no such file, a directory, not a plain file,
    ///   no permission, unreadable, empty.
    init(path: String) throws(ImportError) {
        try Self.checkKind(of: path)
        do {
            try self.init(path: path, bytes: Self.content(of: path))
        } catch let error as ImportError {
            throw error
        } catch CocoaError.fileReadNoPermission {
            throw ImportError(path: path, line: nil, problem: .accessDenied)
        } catch CocoaError.fileReadNoSuchFile {
            throw ImportError(path: path, line: nil, problem: .noSuchFile)
        } catch {
            let reason = error.localizedDescription
            throw ImportError(path: path, line: nil, problem: .unreadable(reason: reason))
        }
    }

    /// - Throws: ``ImportError/Problem/empty`` if there are no bytes.
    package init(path: String, bytes: [UInt8]) throws(ImportError) {
        guard !bytes.isEmpty else { throw ImportError(path: path, line: nil, problem: .empty) }
        self.path = path
        self.bytes = bytes
    }

    /// The absolute path of the directory that relative paths in the file start from.
    var directory: String {
        URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
    }

    /// The file's name without directory and extension.
    var title: String {
        URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }

    /// `problem` at the byte `offset`, as an error with its line. Counts lines up to there.
    func error(_ problem: ImportError.Problem, at offset: Int) -> ImportError {
        var line = 1
        var previous: UInt8 = 0
        for byte in bytes.prefix(offset) {
            let isNewline = byte == UInt8(ascii: "\n")
            if byte == UInt8(ascii: "\r") || (isNewline && previous != UInt8(ascii: "\r")) {
                line += 1
            }
            previous = byte
        }
        return ImportError(path: path, line: line, problem: problem)
    }

    /// The text of `range`.
    ///
    /// - Throws: ``ImportError/Problem/invalidUTF8(byte:)`` with the first bad byte of the file.
    func text(_ range: Range<Int>) throws(ImportError) -> String {
        if let text = String(validating: bytes[range], as: UTF8.self) { return text }
        let bad = Self.firstInvalidByte(in: bytes[range])
        throw error(.invalidUTF8(byte: bad), at: bad)
    }

    /// Where the text begins: 3 after a UTF-8 byte order mark, else 0.
    ///
    /// - Throws: ``ImportError/Problem/unsupportedEncoding(_:)`` for the marks of UTF-16.
    func startOfText() throws(ImportError) -> Int {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw error(.unsupportedEncoding("UTF-16"), at: 0)
        }
        return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// Piece by piece into the array itself, so that the file is in memory once and not twice.
    private static func content(of path: String) throws -> [UInt8] {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(clamping: try file.seekToEnd()))
        try file.seek(toOffset: 0)
        while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty { bytes += piece }
        return bytes
    }

    private static func checkKind(of path: String) throws(ImportError) {
        let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        } catch CocoaError.fileReadNoPermission {
            throw ImportError(path: path, line: nil, problem: .accessDenied)
        } catch {
            throw ImportError(path: path, line: nil, problem: .noSuchFile)
        }
        switch attributes[.type] as? FileAttributeType {
        case FileAttributeType.typeRegular: return
        case FileAttributeType.typeDirectory:
            throw ImportError(path: path, line: nil, problem: .directory)
        default: throw ImportError(path: path, line: nil, problem: .notAFile)
        }
    }

    private static func firstInvalidByte(in slice: ArraySlice<UInt8>) -> Int {
        var decoder = UTF8()
        var remaining = slice.makeIterator()
        var offset = slice.startIndex
        while case .scalarValue(let scalar) = decoder.decode(&remaining) {
            offset += UTF8.width(scalar)
        }
        return offset
    }
}
