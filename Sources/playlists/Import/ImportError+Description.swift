extension ImportError: CustomStringConvertible {
    package var description: String {
        let place = line.map { "\(path), line \($0)" } ?? path
        return "\(place): \(problem)"
    }
}

extension ImportError.Problem: CustomStringConvertible {
    var description: String {
        switch self {
        case .noSuchFile:
            "There is no such file. Check the spelling of its name."
        case .directory:
            "This is a directory. Name a file inside it."
        case .notAFile:
            "This is a device or a pipe. Save its content to a file and import that."
        case .accessDenied:
            "No permission to read the file. Check its owner and mode."
        case .unreadable(let reason):
            "The file could not be read (\(reason))."
        case .empty:
            "The file is empty. Export it again."
        case .unknownFormat:
            "Not a known kind of file. Known are Library.xml, .m3u, .m3u8 and .csv."
        case .invalidUTF8(let byte):
            "The text is not UTF-8 at byte \(byte). Save the file as UTF-8."
        case .unsupportedEncoding(let name):
            "The text is written in \(name). Save the file as UTF-8."
        case .binaryPropertyList:
            "A binary property list. Convert it first: plutil -convert xml1 FILE"
        case .truncated(let inside):
            "The file ends in the middle of \(inside). Export or copy it again."
        case .malformed(let expected, let found):
            "Expected \(expected), found \(found)."
        case .tooDeep(let limit):
            "Lists are nested more than \(limit) levels deep. This is no music library."
        case .notALibrary(let missing):
            "A property list without \(missing). Export the library from Music or iTunes with "
                + "File > Library > Export Library."
        case .wrongType(let field, let expected, let found):
            "\(field) must be \(expected), but is \(found)."
        case .outOfRange(let field, let value, let allowed):
            "\(field) is \(value), but must be \(allowed)."
        case .noColumn(let name):
            "The first line names no column \"\(name)\". Add one."
        case .columnTwice(let name):
            "The first line names the column \"\(name)\" twice. Take one away."
        case .fieldCount(let expected, let found):
            "This line has \(found) fields, but the first line names \(expected) columns."
        case .streamingManifest:
            "A list of pieces of one stream, not a playlist of songs."
        }
    }
}
