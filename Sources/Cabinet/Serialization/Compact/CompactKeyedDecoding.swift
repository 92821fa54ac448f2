struct CompactKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let source: CompactSource
    let entries: Range<Int>
    let depth: Int

    var codingPath: [any CodingKey] { source.path(to: entries.lowerBound) }

    var allKeys: [Key] {
        var keys: [Key] = []
        // What follows bytes that are none is not there.
        try? source.forEachEntry(of: entries) { name, _ in
            if let key = Key(stringValue: name) { keys.append(key) }
        }
        return keys
    }

    func contains(_ key: Key) -> Bool {
        (try? source.find(key.stringValue, in: entries, depth: depth)) != nil
    }

    private var end: Int { entries.upperBound }

    @inline(__always)
    private func position<Known: CodingKey>(of key: Known) throws -> Int {
        if let position = try source.find(key.stringValue, in: entries, depth: depth) {
            return position
        }
        throw DecodingError.keyNotFound(
            key,
            .init(codingPath: codingPath, debugDescription: "no value under \(key.stringValue)"))
    }

    @inline(__always)
    private func read<Value>(_ key: Key, _ body: (Int, Int) throws -> Value?) throws -> Value {
        let position = try position(of: key)
        if let value = try body(position, end) { return value }
        throw source.mismatch(Value.self, at: position, end: end)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try source.value(type, at: try position(of: key), end: end, depth: depth)
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try source.isNil(at: try position(of: key), end: end)
    }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try read(key) { try source.bool(at: $0, end: $1) }
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try read(key) { try source.text(at: $0, end: $1) }
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try read(key) { try source.number(at: $0, end: $1) }
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try read(key) { try source.shortNumber(at: $0, end: $1) }
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try read(key) { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try read(key) { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try read(key) { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try read(key) { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try read(key) { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try read(key) { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try read(key) { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try read(key) { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try read(key) { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try read(key) { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try read(key) { try source.integer(at: $0, end: $1) }
    }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try read(key) { try source.integer(at: $0, end: $1) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(CompactForm.Key.super) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: some CodingKey) throws -> CompactDecoder {
        try source.decoder(at: try position(of: key), end: end, depth: depth)
    }
}
