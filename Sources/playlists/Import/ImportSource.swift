import Foundation

/// One file to import, on disk or in memory.
package struct ImportSource: Sendable {
    let path: String
    /// The content; `nil` if it is to be read from disk.
    private let content: [UInt8]?

    /// The file at `path`, which stays on disk until an importer reads it.
    ///
    /// - Throws: an ``ImportError`` without a line: no such file, a directory, not a plain file,
    ///   no permission, empty.
    init(path: String) throws(ImportError) {
        self.path = path
        content = nil
        let file = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file) else {
            throw error(.noSuchFile)
        }
        switch attributes[.type] as? FileAttributeType {
        case FileAttributeType.typeRegular: break
        case FileAttributeType.typeDirectory: throw error(.directory)
        default: throw error(.notAFile)
        }
        guard FileManager.default.isReadableFile(atPath: file) else { throw error(.accessDenied) }
        if attributes[.size] as? UInt64 == 0 { throw error(.empty) }
    }

    /// - Throws: ``ImportError/Problem/empty`` if there are no bytes.
    package init(path: String, bytes: [UInt8]) throws(ImportError) {
        self.path = path
        content = bytes
        if bytes.isEmpty { throw error(.empty) }
    }

    /// `problem` as an error in this file, at `line`.
    func error(_ problem: ImportError.Problem, line: Int? = nil) -> ImportError {
        ImportError(path: path, line: line, problem: problem)
    }

    /// A stream of the content, not yet open.
    func stream() throws(ImportError) -> InputStream {
        if let content { return InputStream(data: Data(content)) }
        guard let stream = InputStream(fileAtPath: path) else { throw error(.noSuchFile) }
        return stream
    }

    /// The first `count` bytes, or all if there are fewer.
    func bytes(upTo count: Int) throws(ImportError) -> [UInt8] {
        if let content { return Array(content.prefix(count)) }
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            return [UInt8](try file.read(upToCount: count) ?? Data())
        } catch let cause {
            throw error(.unreadable(reason: cause.localizedDescription))
        }
    }

    /// Reads all of the content once, in pieces.
    ///
    /// - Throws: ``ImportError/Problem/notUTF8`` with the first line that is not UTF-8.
    func checkText() throws(ImportError) {
        if let content {
            _ = try checkLines(content[...], from: 1)
            return
        }
        var line = 1
        var rest: [UInt8] = []
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            while let piece = try file.read(upToCount: 1 << 16), !piece.isEmpty {
                rest += piece
                guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { continue }
                line = try checkLines(rest[...end], from: line)
                rest.removeSubrange(...end)
            }
        } catch let failure as ImportError {
            throw failure
        } catch let cause {
            throw error(.unreadable(reason: cause.localizedDescription))
        }
        _ = try checkLines(rest[...], from: line)
    }

    /// - Returns: the number of the line behind `bytes`.
    private func checkLines(_ bytes: ArraySlice<UInt8>, from first: Int) throws(ImportError) -> Int
    {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard String(validating: bytes, as: UTF8.self) == nil else {
            return first + lines.count - 1
        }
        let bad = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
        throw error(.notUTF8, line: first + bad)
    }
}
