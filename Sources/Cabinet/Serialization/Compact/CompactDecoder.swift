import CabinetBackend
import Foundation

/// What a value is given to decode itself. Fits into an existential without a block of memory.
struct CompactDecoder: Decoder {
    let source: CompactSource
    let start: UInt32
    let end: UInt32
    /// How many calls of `init(from:)` are outside.
    let depth: UInt16

    @inline(__always)
    init(_ source: CompactSource, at start: Int, end: Int, depth: Int) {
        self.source = source
        self.start = UInt32(truncatingIfNeeded: start)
        self.end = UInt32(truncatingIfNeeded: end)
        self.depth = UInt16(truncatingIfNeeded: depth)
    }

    var codingPath: [any CodingKey] { source.path(to: Int(start)) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        guard
            let entries = try source.content(
                of: CompactForm.Tag.keyed, at: Int(start), end: Int(end))
        else {
            throw source.mismatch(KeyedDecodingContainer<Key>.self, at: Int(start), end: Int(end))
        }
        return KeyedDecodingContainer(
            CompactKeyedDecoding(source: source, entries: entries, depth: Int(depth)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard
            let elements = try source.content(
                of: CompactForm.Tag.unkeyed, at: Int(start), end: Int(end))
        else {
            throw source.mismatch(UnkeyedDecodingContainer.self, at: Int(start), end: Int(end))
        }
        return CompactUnkeyedDecoding(source, elements, depth: Int(depth))
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension CompactSource {
    /// The value of `type` at `position`, after `depth` calls of `init(from:)`. It stands on the
    /// stack once a level, so it does little itself. Optionals of unknown types are avoided: each
    /// asks the runtime for metadata.
    func value<Value: Decodable>(
        _ type: Value.Type, at position: Int, end: Int, depth: Int
    ) throws -> Value {
        if try isKnown(type, at: position, end: end) {
            return try known(type, at: position, end: end)
        }
        return try Value(from: try decoder(at: position, end: end, depth: depth))
    }

    /// Whether the value of `type` at `position` has a form of its own.
    private func isKnown(_ type: Any.Type, at position: Int, end: Int) throws -> Bool {
        if type == URL.self { return try tag(at: position, end: end) == Tag.url }
        return type == String.self || type == Int.self || type == Double.self
            || type == Date.self || type == UUID.self || type == Data.self
            || type == Decimal.self
    }

    @inline(never)
    private func known<Value>(_ type: Value.Type, at position: Int, end: Int) throws -> Value {
        func checked<Known>(_ value: Known?) throws -> Known {
            if let value { return value }
            throw mismatch(Known.self, at: position, end: end)
        }
        if type == String.self {
            return unsafeBitCast(try checked(try text(at: position, end: end)), to: type)
        } else if type == Int.self {
            return unsafeBitCast(try checked(try integer(at: position, end: end) as Int?), to: type)
        } else if type == Double.self {
            return unsafeBitCast(try checked(try number(at: position, end: end)), to: type)
        } else if type == Date.self {
            return unsafeBitCast(try checked(try date(at: position, end: end)), to: type)
        } else if type == UUID.self {
            return unsafeBitCast(try checked(try uuid(at: position, end: end)), to: type)
        } else if type == Data.self {
            return unsafeBitCast(try checked(try data(at: position, end: end)), to: type)
        } else if type == Decimal.self {
            return unsafeBitCast(try checked(try decimal(at: position, end: end)), to: type)
        }
        return unsafeBitCast(try checked(try url(at: position, end: end)), to: type)
    }

    func decoder(at position: Int, end: Int, depth: Int) throws -> CompactDecoder {
        if depth >= CompactForm.decodingDepth { throw tooDeep(at: position) }
        return CompactDecoder(self, at: position, end: end, depth: depth + 1)
    }

    private func tooDeep(at position: Int) -> DecodingError {
        Self.damage("nested more than \(CompactForm.decodingDepth) deep", path(to: position))
    }

    /// A floating-point number, or an integer that is one without loss.
    func number(at position: Int, end: Int) throws -> Double? {
        if let number = try double(at: position, end: end) { return number }
        let integer: Int64? = try integer(at: position, end: end)
        return integer.flatMap { Double(exactly: $0) }
    }

    /// As ``number(at:end:)``, the nearest of the type; `nil` for one beyond its range.
    func shortNumber(at position: Int, end: Int) throws -> Float? {
        guard let number = try number(at: position, end: end) else { return nil }
        let short = Float(number)
        return short.isFinite || !number.isFinite ? short : nil
    }

    func bool(at position: Int, end: Int) throws -> Bool? {
        switch try tag(at: position, end: end) {
        case Tag.no: false
        case Tag.yes: true
        default: nil
        }
    }

    func isNil(at position: Int, end: Int) throws -> Bool {
        try tag(at: position, end: end) == Tag.none
    }
}

/// An array read without a container: in half the time of the standard library's `init(from:)`.
protocol CompactArray {
    static func read(from source: CompactSource) throws -> Self
}

extension Array: CompactArray where Element: Decodable {
    static func read(from source: CompactSource) throws -> [Element] {
        let (root, end) = (source.root, source.end)
        guard let elements = try source.content(of: CompactForm.Tag.unkeyed, at: root, end: end)
        else { throw source.mismatch([Element].self, at: root, end: end) }
        var (position, count) = (elements.lowerBound, 0)
        while position < elements.upperBound {
            position = try source.skip(position, end: elements.upperBound)
            count += 1
        }
        var values: [Element] = []
        // An element may be larger in memory than its bytes.
        values.reserveCapacity(Swift.min(count, 64))
        position = elements.lowerBound
        while position < elements.upperBound {
            values.append(
                try source.value(Element.self, at: position, end: elements.upperBound, depth: 1))
            position = try source.skip(position, end: elements.upperBound)
        }
        return values
    }
}

extension CompactForm {
    /// The array that `bytes` stand for.
    /// - Throws: as ``decode(_:from:)``.
    static func decodeArray<Value: CompactArray>(
        _ type: Value.Type, from bytes: UnsafeRawBufferPointer
    ) throws -> Value {
        let source = try CompactSource(bytes)
        defer { source.close() }
        return try type.read(from: source)
    }

    /// The value that `bytes` stand for.
    /// - Throws: what the value's `init(from:)` throws, or a `DecodingError`.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: UnsafeRawBufferPointer
    ) throws -> Value {
        let source = try CompactSource(bytes)
        defer { source.close() }
        return try source.value(type, at: source.root, end: source.end, depth: 0)
    }
}
