/// Why a file was not imported. Nothing of it was: the store is as before.
package struct ImportError: Error, Hashable, Sendable {
    package let path: String
    /// The line in the file, from 1; `nil` where the problem has no place in it.
    let line: Int?
    let problem: Problem

    enum Problem: Error, Hashable, Sendable {
        case noSuchFile
        case directory
        /// A device, a pipe or a socket.
        case notAFile
        case accessDenied
        /// The system would not read the file; `reason` is its own word for it.
        case unreadable(reason: String)
        case empty
        case notUTF8
        case unsupportedEncoding(String)
        case binaryPropertyList
        /// The file ends before the property list does.
        case truncated
        /// Foundation's XML parser refused the text with its error `code`.
        case notXML(code: Int)
        /// `found` stands where `expected` belongs.
        case malformed(expected: String, found: String)
        /// More than `limit` levels of containers inside containers.
        case tooDeep(limit: Int)
        /// A property list, but without what makes it a music library.
        case notALibrary(missing: String)
        /// The value of `field` is of another kind than it must be.
        case wrongType(field: String, expected: String, found: String)
        /// The value of `field` is of the right kind, but cannot be.
        case outOfRange(field: String, value: String, allowed: String)
    }
}

extension ImportError: CustomStringConvertible {
    package var description: String {
        let place = line.map { "\(path), line \($0)" } ?? path
        return "\(place): \(problem)"
    }
}

extension ImportError.Problem: CustomStringConvertible {
    var description: String {
        switch self {
        case .noSuchFile: "There is no such file. Check the spelling of its name."
        case .directory: "This is a directory. Name a file inside it."
        case .notAFile:
            "This is a device or a pipe. Save its content to a file and import that."
        case .accessDenied: "No permission to read the file. Check its owner and mode."
        case .unreadable(let reason): "The file could not be read (\(reason))."
        case .empty: "The file is empty. Export it again."
        case .notUTF8: "The text is not UTF-8. Export the library again."
        case .unsupportedEncoding(let name):
            "The text is written in \(name). Save the file as UTF-8."
        case .binaryPropertyList:
            "A binary property list. Convert it first: plutil -convert xml1 FILE"
        case .truncated: "The file ends before its content does. Export or copy it again."
        case .notXML(let code):
            "This is no well-formed XML (error \(code) of the XML parser). Export it again."
        case .malformed(let expected, let found): "Expected \(expected), found \(found)."
        case .tooDeep(let limit):
            "Lists are nested more than \(limit) levels deep. This is no music library."
        case .notALibrary(let missing):
            "A property list without \(missing). Export the library from Music or iTunes with "
                + "File > Library > Export Library."
        case .wrongType(let field, let expected, let found):
            "\(field) must be \(expected), but is \(found)."
        case .outOfRange(let field, let value, let allowed):
            "\(field) is \(value), but must be \(allowed)."
        }
    }
}
