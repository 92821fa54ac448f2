/// Reads an XML property list value by value, so that a large one is never in memory whole.
///
/// Foundation's reader builds the whole tree, knows no line of most problems, and follows nested
/// arrays down until the stack ends; hence this one.
struct PropertyListReader: Sendable {
    /// iTunes nests five levels; a file that nests deeper than this is hostile.
    static let deepest = 32

    private var scanner: PropertyListScanner
    private var depth = 0
    private var ahead: PropertyListTag?

    /// Reads up to and with `<plist>`.
    init(_ source: ImportSource) throws(ImportError) {
        scanner = try PropertyListScanner(source)
        let tag = try scanner.nextTag(inside: "the heading")
        guard tag.element == .plist, tag.form == .opening else {
            throw unexpected(tag, expected: "<plist>")
        }
    }

    var source: ImportSource { scanner.source }

    /// How many bytes have been read.
    var position: Int { scanner.position }

    /// Enters a dictionary; ``nextKey()`` then goes through it. False for an empty `<dict/>`.
    ///
    /// - Throws: ``ImportError/Problem/wrongType(field:expected:found:)`` if another value stands
    ///   here.
    mutating func beginDictionary(_ name: String) throws(ImportError) -> Bool {
        try begin(.dict, name: name, kind: "a dictionary")
    }

    /// Enters an array; ``hasNextElement()`` then goes through it. False for an empty `<array/>`.
    mutating func beginArray(_ name: String) throws(ImportError) -> Bool {
        try begin(.array, name: name, kind: "an array")
    }

    /// The next key of the dictionary entered last, or `nil` at its end, which it leaves. After a
    /// key exactly one value must be read.
    mutating func nextKey() throws(ImportError) -> String? {
        let tag = try nextTag(inside: "a dictionary")
        if tag.element == .dict, tag.form == .closing {
            depth -= 1
            return nil
        }
        guard tag.element == .key else { throw unexpected(tag, expected: "<key> or </dict>") }
        return try text(of: tag)
    }

    /// Whether the array entered last goes on. At its end this leaves it.
    mutating func hasNextElement() throws(ImportError) -> Bool {
        let tag = try nextTag(inside: "an array")
        if tag.element == .array, tag.form == .closing {
            depth -= 1
            return false
        }
        ahead = tag
        return true
    }

    /// The byte at which the next value begins, to name its line later.
    mutating func offsetOfValue() throws(ImportError) -> Int {
        let tag = try nextTag(inside: "a value")
        ahead = tag
        return tag.offset
    }

    /// Reads one value of any kind, with all that is inside it.
    mutating func readValue() throws(ImportError) -> PropertyListValue {
        let tag = try nextTag(inside: "a value")
        guard tag.form != .closing else { throw unexpected(tag, expected: "a value") }
        switch tag.element {
        case .string: return .string(try text(of: tag))
        case .integer: return .integer(try text(of: tag))
        case .real: return .real(try text(of: tag))
        case .date: return .date(try text(of: tag))
        case .data: return .data(try text(of: tag))
        case .yes, .no:
            if tag.form == .opening { try close(tag) }
            return .boolean(tag.element == .yes)
        case .dict:
            ahead = tag
            return .dictionary(try readEntries())
        case .array:
            ahead = tag
            return .array(try readElements())
        case .key, .plist: throw unexpected(tag, expected: "a value")
        }
    }

    /// Reads `</plist>`. What follows it is nobody's business.
    mutating func finish() throws(ImportError) {
        let tag = try nextTag(inside: "the property list")
        guard tag.element == .plist, tag.form == .closing else {
            throw unexpected(tag, expected: "</plist>")
        }
    }
}

extension PropertyListReader {
    private mutating func readEntries() throws(ImportError) -> [String: PropertyListValue] {
        var entries: [String: PropertyListValue] = [:]
        guard try beginDictionary("The value") else { return entries }
        while let key = try nextKey() { entries[key] = try readValue() }
        return entries
    }

    private mutating func readElements() throws(ImportError) -> [PropertyListValue] {
        var elements: [PropertyListValue] = []
        guard try beginArray("The value") else { return elements }
        while try hasNextElement() { elements.append(try readValue()) }
        return elements
    }

    private mutating func begin(
        _ element: PropertyListTag.Element, name: String, kind: String
    ) throws(ImportError) -> Bool {
        let tag = try nextTag(inside: name)
        guard tag.element == element, tag.form != .closing else {
            let problem = ImportError.Problem.wrongType(
                field: name, expected: kind, found: tag.text)
            throw source.error(problem, at: tag.offset)
        }
        if tag.form == .empty { return false }
        depth += 1
        guard depth <= Self.deepest else {
            throw source.error(.tooDeep(limit: Self.deepest), at: tag.offset)
        }
        return true
    }

    private mutating func nextTag(inside: String) throws(ImportError) -> PropertyListTag {
        if let tag = ahead {
            ahead = nil
            return tag
        }
        return try scanner.nextTag(inside: inside)
    }

    private mutating func text(of tag: PropertyListTag) throws(ImportError) -> String {
        if tag.form == .empty { return "" }
        guard tag.form == .opening else { throw unexpected(tag, expected: "a value") }
        let text = try scanner.readText(inside: tag.text)
        try close(tag)
        return text
    }

    private mutating func close(_ tag: PropertyListTag) throws(ImportError) {
        let closing = try scanner.nextTag(inside: tag.text)
        guard closing.element == tag.element, closing.form == .closing else {
            throw unexpected(closing, expected: "</\(tag.element.rawValue)>")
        }
    }

    private func unexpected(_ tag: PropertyListTag, expected: String) -> ImportError {
        source.error(.malformed(expected: expected, found: tag.text), at: tag.offset)
    }
}
