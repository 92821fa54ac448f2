/// Why a file was not imported. Nothing of it was: the store is as before.
package struct ImportError: Error, Hashable, Sendable {
    package let path: String
    /// The line in the file, from 1; `nil` where the problem is at no line.
    let line: Int?
    let problem: Problem

    enum Problem: Error, Hashable, Sendable {
        case noSuchFile
        /// A directory, a device, a pipe or a socket.
        case notAFile
        /// The system would not read the file; `reason` is its own word for it.
        case unreadable(reason: String)
        case empty
        case notUTF8
        /// The text does not begin as an XML property list in UTF-8 without declarations does.
        case notAPropertyList
        /// The file ends before the property list does.
        case truncated
        /// Foundation's XML parser refused the text with its error `code`.
        case notXML(code: Int)
        /// `found` may not stand where it stands.
        case unexpected(_ found: String)
        /// A property list, but without what makes it a music library.
        case notALibrary
        /// The value of `field` stands in another element than it must.
        case wrongType(field: String, expected: String, found: String)
        /// The value of `field` must be a whole number in `range`.
        case outOfRange(field: String, value: String, range: ClosedRange<Int64>)
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
        case .notAFile: "This is no plain file. Name the XML file itself."
        case .unreadable(let reason): "The file could not be read (\(reason))."
        case .empty: "The file is empty. Export it again."
        case .notUTF8: "The text is not UTF-8. Export the library again."
        case .notAPropertyList:
            "This is no XML property list in UTF-8. A binary one can be converted: "
                + "plutil -convert xml1 FILE"
        case .truncated: "The file ends before its content does. Export or copy it again."
        case .notXML(let code):
            "This is no well-formed XML (error \(code) of the XML parser). Export it again."
        case .unexpected(let found): "Found \(found), which may not stand there."
        case .notALibrary:
            "A property list without \"Tracks\". Export the library from Music or iTunes with "
                + "File > Library > Export Library."
        case .wrongType(let field, let expected, let found):
            "\(field) must be <\(expected)>, but is <\(found)>."
        case .outOfRange(let field, let value, let range):
            "\(field) is \(value.prefix(40)), but must be a whole number from "
                + "\(range.lowerBound) to \(range.upperBound)."
        }
    }
}
