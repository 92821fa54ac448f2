/// Reads the elements of an unkeyed container one after the other.
struct CompactUnkeyedDecoding: UnkeyedDecodingContainer {
    private let source: CompactSource
    // So that all fit into an existential.
    private var position: UInt32
    private let last: UInt32
    private var index: UInt32 = 0
    private let depth: UInt16

    init(_ source: CompactSource, _ elements: Range<Int>, depth: Int) {
        self.source = source
        position = UInt32(truncatingIfNeeded: elements.lowerBound)
        last = UInt32(truncatingIfNeeded: elements.upperBound)
        self.depth = UInt16(truncatingIfNeeded: depth)
    }

    var codingPath: [any CodingKey] { source.path(to: Int(position)) }
    var isAtEnd: Bool { position >= last }
    var currentIndex: Int { Int(index) }

    /// How many elements there are, those that were read included.
    var count: Int? {
        var (position, count) = (Int(position), Int(index))
        while position < end {
            guard let next = try? source.skip(position, end: end) else { return nil }
            (position, count) = (next, count + 1)
        }
        return count
    }

    private var end: Int { Int(last) }

    /// Reads the next element. After a throw it is still the next one.
    @inline(__always)
    private mutating func next<Value>(
        _ type: Value.Type, _ body: (_ position: Int, _ end: Int) throws -> Value?
    ) throws -> Value {
        guard !isAtEnd else { throw noneLeft(type) }
        guard let value = try body(Int(position), end) else {
            throw source.mismatch(type, at: Int(position), end: end)
        }
        try advance()
        return value
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard !isAtEnd else { throw noneLeft(type) }
        let value = try source.value(type, at: Int(position), end: end, depth: Int(depth))
        try advance()
        return value
    }

    private mutating func advance() throws {
        position = UInt32(truncatingIfNeeded: try source.skip(Int(position), end: end))
        index += 1
    }

    private func noneLeft(_ type: Any.Type) -> DecodingError {
        .valueNotFound(
            type, .init(codingPath: codingPath, debugDescription: "no element is left"))
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd else { throw noneLeft(Never?.self) }
        guard try source.isNil(at: Int(position), end: end) else { return false }
        position += 1
        index += 1
        return true
    }
    mutating func decode(_ type: Bool.Type) throws -> Bool {
        let source = source
        return try next(type) { try source.bool(at: $0, end: $1) }
    }
    mutating func decode(_ type: String.Type) throws -> String {
        let source = source
        return try next(type) { try source.text(at: $0, end: $1) }
    }
    mutating func decode(_ type: Double.Type) throws -> Double {
        let source = source
        return try next(type) { try source.number(at: $0, end: $1) }
    }
    mutating func decode(_ type: Float.Type) throws -> Float {
        let source = source
        return try next(type) { try source.shortNumber(at: $0, end: $1) }
    }
    mutating func decode(_ type: Int.Type) throws -> Int { try nextInteger() }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try nextInteger() }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try nextInteger() }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try nextInteger() }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try nextInteger() }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try nextInteger() }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try nextInteger() }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try nextInteger() }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try nextInteger() }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try nextInteger() }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try nextInteger() }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try nextInteger() }

    private mutating func nextInteger<Value: FixedWidthInteger>() throws -> Value {
        let source = source
        return try next(Value.self) { try source.integer(at: $0, end: $1) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let (source, depth) = (source, Int(depth))
        return try next(KeyedDecodingContainer<Nested>.self) {
            try source.decoder(at: $0, end: $1, depth: depth).container(keyedBy: type)
        }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let (source, depth) = (source, Int(depth))
        return try next((any UnkeyedDecodingContainer).self) {
            try source.decoder(at: $0, end: $1, depth: depth).unkeyedContainer()
        }
    }

    mutating func superDecoder() throws -> any Decoder {
        let (source, depth) = (source, Int(depth))
        return try next((any Decoder).self) {
            try source.decoder(at: $0, end: $1, depth: depth)
        }
    }
}
