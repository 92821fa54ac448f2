import CabinetBackend

/// Reads values in the compact form without knowing the type that they stand for.
struct CompactTree {
    /// How many values may still be made; `nil` to look only whether all can be read.
    private(set) var room: Int?
    /// Whether a value was refused because it holds more values than that.
    private(set) var isExhausted = false

    init(limit: Int?) { room = limit }

    /// The value in `bytes`; `nil` for none, or too much; ``FieldValue/none`` if none is made.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> FieldValue? {
        guard let source = try? CompactSource(bytes) else { return nil }
        defer { source.close() }
        let (root, end) = (source.root, source.end)
        guard let value = try? read(source, at: root, end: end, depth: 0),
            (try? source.skip(root, end: end)) == end
        else { return nil }
        return value
    }

    private struct TooMuch: Error {}

    private mutating func read(
        _ source: CompactSource, at position: Int, end: Int, depth: Int
    ) throws -> FieldValue {
        guard depth < CompactForm.decodingDepth else { throw TooMuch() }
        if let left = room {
            isExhausted = left == 0
            guard left > 0 else { throw TooMuch() }
            room = left - 1
        }
        switch try source.tag(at: position, end: end) {
        case CompactForm.Tag.unkeyed: return try readList(source, position, end, depth)
        case CompactForm.Tag.keyed: return try readEntries(source, position, end, depth)
        default: break
        }
        guard let value = try Self.single(source, position, end) else {
            throw source.damage(at: position)
        }
        return room == nil ? .none : value
    }

    private static func single(
        _ source: CompactSource, _ position: Int, _ end: Int
    ) throws -> FieldValue? {
        switch try source.tag(at: position, end: end) {
        case CompactForm.Tag.none: return FieldValue.none
        case CompactForm.Tag.no: return .bool(false)
        case CompactForm.Tag.yes: return .bool(true)
        case CompactForm.Tag.date: return try source.date(at: position, end: end).map { .date($0) }
        case CompactForm.Tag.uuid: return try source.uuid(at: position, end: end).map { .uuid($0) }
        case CompactForm.Tag.bytes:
            return try source.data(at: position, end: end).map { .bytes($0) }
        case CompactForm.Tag.url: return try source.url(at: position, end: end).map { .url($0) }
        case CompactForm.Tag.decimal:
            return try source.decimal(at: position, end: end).map { .decimal($0) }
        case CompactForm.Tag.float, CompactForm.Tag.double:
            return try source.double(at: position, end: end).map { .double($0) }
        default: break
        }
        if let text = try source.text(at: position, end: end) { return .text(text) }
        if let value: Int128 = try source.integer(at: position, end: end) { return .integer(value) }
        let value: UInt128? = try source.integer(at: position, end: end)
        return value.map { .largeInteger($0) }
    }

    private mutating func readList(
        _ source: CompactSource, _ position: Int, _ end: Int, _ depth: Int
    ) throws -> FieldValue {
        var values: [FieldValue] = []
        let elements =
            try source.content(of: CompactForm.Tag.unkeyed, at: position, end: end) ?? 0..<0
        var position = elements.lowerBound
        while position < elements.upperBound {
            let value = try read(source, at: position, end: elements.upperBound, depth: depth + 1)
            if room != nil { values.append(value) }
            position = try source.skip(position, end: elements.upperBound)
        }
        return .list(values)
    }

    private mutating func readEntries(
        _ source: CompactSource, _ position: Int, _ end: Int, _ depth: Int
    ) throws -> FieldValue {
        var entries: [FieldValue.Entry] = []
        let content = try source.content(of: CompactForm.Tag.keyed, at: position, end: end) ?? 0..<0
        var position = content.lowerBound
        while position < content.upperBound {
            let name = try source.name(&position, end: content.upperBound)
            let value = try read(source, at: position, end: content.upperBound, depth: depth + 1)
            if room != nil { entries.append(.init(key: .text(name), value: value)) }
            position = try source.skip(position, end: content.upperBound)
        }
        return .dictionary(entries.inOrder { Self.text($0.key) < Self.text($1.key) })
    }

    private static func text(_ value: FieldValue) -> String {
        if case .text(let text) = value { text } else { "" }
    }
}
