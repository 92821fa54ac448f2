/// What may stand before `<plist`: the XML declaration, comments and a document type that only
/// names its definition.
///
/// The XML parser must not see another document type. Entities that it declares can expand to
/// any size, and Foundation's parser on Linux crashes at some declarations.
struct PropertyListProlog {
    /// The prolog must end within this many bytes of the file.
    static let longest = 1 << 16

    private var rest: Substring.UTF8View

    /// - Throws: an ``ImportError`` at the line of the part that may not stand there.
    static func check(_ source: ImportSource) throws(ImportError) {
        let head = try source.bytes(upTo: longest)
        if head.starts(with: "bplist".utf8) { throw source.error(.binaryPropertyList) }
        // Bytes that are not UTF-8 become U+FFFD, which no mark contains.
        let text = String(decoding: head, as: UTF8.self)
        var prolog = PropertyListProlog(rest: text[...].utf8)
        _ = prolog.skip("\u{FEFF}")
        while true {
            let start = prolog.rest.startIndex
            do throws(ImportError.Problem) {
                guard try prolog.skipPart() else { return }
            } catch {
                let lines = text.utf8[..<start].count { $0 == 10 }
                throw source.error(error, line: lines + 1)
            }
        }
    }

    /// Moves behind one part of the prolog. False if the first element follows.
    private mutating func skipPart() throws(ImportError.Problem) -> Bool {
        if let byte = rest.first, [32, 10, 13, 9].contains(byte) {
            rest = rest.dropFirst()
        } else if skip("<!--") {
            _ = try part(endedBy: "-->")
        } else if skip("<?") {
            let instruction = Substring(try part(endedBy: "?>")).lowercased()
            // Other encodings could hide a document type from this check.
            if let match = instruction.firstMatch(of: /encoding\s*=\s*["']([^"']*)["']/),
                !["utf-8", "utf8", "us-ascii"].contains(match.1)
            {
                throw .unsupportedEncoding(match.1.uppercased())
            }
        } else if skip("<!DOCTYPE") {
            let type = try part(endedBy: ">")
            if type.contains(UInt8(ascii: "[")) {
                throw .malformed(
                    expected: "a property list",
                    found: "a document with declarations of its own")
            }
        } else if skip("<plist") {
            return false
        } else {
            throw rest.isEmpty ? .truncated : .malformed(expected: "<plist>", found: "other text")
        }
        return true
    }

    private mutating func skip(_ mark: String) -> Bool {
        guard rest.starts(with: mark.utf8) else { return false }
        rest = rest.dropFirst(mark.utf8.count)
        return true
    }

    /// What stands before the next `mark`; moves behind the mark.
    private mutating func part(
        endedBy mark: String
    ) throws(ImportError.Problem) -> Substring.UTF8View {
        let start = rest
        while !rest.isEmpty {
            let end = rest.startIndex
            if skip(mark) { return start[..<end] }
            rest = rest.dropFirst()
        }
        throw .truncated
    }
}
