/// Cuts the bytes of an XML property list into tags and text.
///
/// It knows the XML that property lists are written in: UTF-8, comments, CDATA, character
/// references and the five named entities. A document type with declarations of its own is
/// refused, and with it entities that blow up.
struct PropertyListScanner: Sendable {
    let source: ImportSource
    private(set) var position: Int

    /// - Throws: ``ImportError`` for a binary property list or UTF-16.
    init(_ source: ImportSource) throws(ImportError) {
        if source.bytes.starts(with: "bplist".utf8) {
            throw ImportError(path: source.path, line: nil, problem: .binaryPropertyList)
        }
        self.source = source
        position = try source.startOfText()
    }

    /// The next tag. Between tags only white space, comments and instructions may stand.
    mutating func nextTag(inside: String) throws(ImportError) -> PropertyListTag {
        while true {
            skipWhitespace()
            let offset = position
            guard offset < source.bytes.count else { throw truncated(inside) }
            guard source.bytes[offset] == UInt8(ascii: "<") else {
                throw source.error(.malformed(expected: "a tag", found: "text"), at: offset)
            }
            if skips("<!--") {
                try skip(past: "-->", inside: "a comment")
            } else if skips("<?") {
                try readInstruction(at: offset)
            } else if skips("<!DOCTYPE") {
                try skipDocumentType(at: offset)
            } else {
                return try readTag(at: offset)
            }
        }
    }

    /// The text up to the next tag, with references resolved and line ends made `\n`.
    mutating func readText(inside: String) throws(ImportError) -> String {
        var text = ""
        while true {
            let start = position
            while position < source.bytes.count, !Self.endsRun(source.bytes[position]) {
                position += 1
            }
            guard position < source.bytes.count else { throw truncated(inside) }
            if position > start { text += try source.text(start..<position) }
            switch source.bytes[position] {
            case UInt8(ascii: "&"):
                text.unicodeScalars.append(try readReference())
            case UInt8(ascii: "\r"):
                position += 1
                if position < source.bytes.count, source.bytes[position] == UInt8(ascii: "\n") {
                    position += 1
                }
                text += "\n"
            default:
                if skips("<![CDATA[") {
                    let start = position
                    try skip(past: "]]>", inside: "a CDATA section")
                    text += try source.text(start..<position - 3)
                } else if skips("<!--") {
                    try skip(past: "-->", inside: "a comment")
                } else {
                    return text
                }
            }
        }
    }

    /// Goes on at `offset`, which must not lie before the present place.
    mutating func advance(to offset: Int) {
        precondition(offset >= position && offset <= source.bytes.count)
        position = offset
    }

    private func truncated(_ inside: String) -> ImportError {
        source.error(.truncated(inside: inside), at: source.bytes.count)
    }

    private static func endsRun(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "\r")
    }
}

// MARK: - Pieces

extension PropertyListScanner {
    private mutating func skipWhitespace() {
        while position < source.bytes.count, Self.isWhitespace(source.bytes[position]) {
            position += 1
        }
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Moves past `mark` if it stands here.
    private mutating func skips(_ mark: StaticString) -> Bool {
        let length = mark.utf8CodeUnitCount
        guard source.bytes.count - position >= length else { return false }
        for index in 0..<length where source.bytes[position + index] != mark.utf8Start[index] {
            return false
        }
        position += length
        return true
    }

    private mutating func skip(
        past mark: StaticString, inside: String
    ) throws(ImportError) {
        while position < source.bytes.count {
            if skips(mark) { return }
            position += 1
        }
        throw truncated(inside)
    }

    /// Moves past `<?xml … ?>`, whose encoding must be UTF-8 or ASCII, and other instructions.
    private mutating func readInstruction(at offset: Int) throws(ImportError) {
        let start = position
        try skip(past: "?>", inside: "an instruction")
        let text = try source.text(start..<position - 2).lowercased()
        guard let key = text.firstRange(of: "encoding") else { return }
        let parts = text[key.upperBound...].split(whereSeparator: { "\"'".contains($0) })
        guard parts.count >= 2 else { return }
        guard ["utf-8", "utf8", "us-ascii"].contains(parts[1]) else {
            throw source.error(.unsupportedEncoding(parts[1].uppercased()), at: offset)
        }
    }

    private mutating func skipDocumentType(at offset: Int) throws(ImportError) {
        while position < source.bytes.count {
            let byte = source.bytes[position]
            position += 1
            if byte == UInt8(ascii: ">") { return }
            if byte == UInt8(ascii: "[") {
                let problem = ImportError.Problem.malformed(
                    expected: "a property list", found: "a document with declarations of its own")
                throw source.error(problem, at: offset)
            }
        }
        throw truncated("the document type")
    }

    private mutating func readTag(at offset: Int) throws(ImportError) -> PropertyListTag {
        position = offset + 1
        while position < source.bytes.count, source.bytes[position] != UInt8(ascii: ">") {
            position += 1
        }
        guard position < source.bytes.count else { throw truncated("a tag") }
        var content = source.bytes[(offset + 1)..<position]
        position += 1
        var form = PropertyListTag.Form.opening
        if content.first == UInt8(ascii: "/") {
            form = .closing
            content = content.dropFirst()
        } else if content.last == UInt8(ascii: "/") {
            form = .empty
            content = content.dropLast()
        }
        let name = content.prefix { !Self.isWhitespace($0) }
        let text = String(decoding: name.prefix(40), as: UTF8.self)
        guard let element = PropertyListTag.Element(rawValue: text) else {
            let problem = ImportError.Problem.malformed(
                expected: "a tag of a property list", found: "<\(text)>")
            throw source.error(problem, at: offset)
        }
        return PropertyListTag(element: element, form: form, offset: offset)
    }
}
