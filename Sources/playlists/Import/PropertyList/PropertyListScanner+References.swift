extension PropertyListScanner {
    /// The longest reference is `&#1114111;`; leading zeros may make it a little longer.
    private static var longestReference: Int { 16 }

    /// Reads `&amp;`, `&#38;` or `&#x26;`.
    mutating func readReference() throws(ImportError) -> Unicode.Scalar {
        let start = position
        let window = source.bytes[start...].prefix(Self.longestReference)
        guard let end = window.firstIndex(of: UInt8(ascii: ";")) else {
            if window.endIndex == source.bytes.endIndex {
                let problem = ImportError.Problem.truncated(inside: "a character reference")
                throw source.error(problem, at: start)
            }
            throw badReference("&", at: start)
        }
        let name = String(decoding: source.bytes[(start + 1)..<end], as: UTF8.self)
        guard let scalar = Self.scalar(named: name) else {
            throw badReference("&\(name);", at: start)
        }
        advance(to: end + 1)
        return scalar
    }

    private func badReference(_ text: String, at offset: Int) -> ImportError {
        source.error(.malformed(expected: "a character reference", found: text), at: offset)
    }

    private static func scalar(named name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        let number: UInt32?
        if name.hasPrefix("#x") || name.hasPrefix("#X") {
            number = UInt32(name.dropFirst(2), radix: 16)
        } else if name.hasPrefix("#") {
            number = UInt32(name.dropFirst())
        } else {
            number = nil
        }
        return number.flatMap { Unicode.Scalar($0) }
    }
}
