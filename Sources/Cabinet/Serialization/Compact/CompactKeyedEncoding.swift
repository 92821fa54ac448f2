/// Writes the values of a keyed container, each behind its key.
struct CompactKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let place: CompactPlace

    var codingPath: [any CodingKey] { place.codingPath }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let start = place.writer.buffer.count
        let writer = try place.open(key)
        do { try writer.write(value) } catch {
            writer.buffer.takeBack(to: start)
            throw error
        }
    }

    func encodeNil(forKey key: Key) throws { try place.open(key).writeNil() }
    func encode(_ value: Bool, forKey key: Key) throws { try place.open(key).writeBool(value) }
    func encode(_ value: String, forKey key: Key) throws { try place.open(key).writeText(value) }
    func encode(_ value: Double, forKey key: Key) throws { try place.open(key).writeDouble(value) }
    func encode(_ value: Float, forKey key: Key) throws { try place.open(key).writeFloat(value) }
    func encode(_ value: Int, forKey key: Key) throws {
        try place.open(key).writeInteger(value)
    }
    func encode(_ value: Int8, forKey key: Key) throws {
        try place.open(key).writeInteger(value)
    }
    func encode(_ value: Int16, forKey key: Key) throws {
        try place.open(key).writeInteger(value)
    }
    func encode(_ value: Int32, forKey key: Key) throws {
        try place.open(key).writeInteger(value)
    }
    func encode(_ value: Int64, forKey key: Key) throws {
        try place.open(key).writeInteger(value)
    }
    func encode(_ value: Int128, forKey key: Key) throws {
        try place.open(key).writeInteger(value)
    }
    func encode(_ value: UInt, forKey key: Key) throws {
        try place.open(key).writeInteger(value)
    }
    func encode(_ value: UInt8, forKey key: Key) throws {
        try place.open(key).writeInteger(value)
    }
    func encode(_ value: UInt16, forKey key: Key) throws {
        try place.open(key).writeInteger(value)
    }
    func encode(_ value: UInt32, forKey key: Key) throws {
        try place.open(key).writeInteger(value)
    }
    func encode(_ value: UInt64, forKey key: Key) throws {
        try place.open(key).writeInteger(value)
    }
    func encode(_ value: UInt128, forKey key: Key) throws {
        try place.open(key).writeInteger(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(CompactKeyedEncoding<Nested>(place: nested(.keyed, key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        CompactUnkeyedEncoding(place: nested(.unkeyed, key))
    }

    func superEncoder() -> any Encoder {
        CompactEncoder(place: nested(.none, CompactForm.Key.super))
    }
    func superEncoder(forKey key: Key) -> any Encoder { CompactEncoder(place: nested(.none, key)) }

    private func nested(
        _ content: CompactWriter.Frame.Content, _ key: some CodingKey
    ) -> CompactPlace {
        let start = place.writer.buffer.count
        let writer = try? place.open(key)
        let inner = place.nested(content)
        // A place that was refused has left a key without a value.
        if let writer, inner.writer.depth == 0 { writer.buffer.takeBack(to: start) }
        return inner
    }
}
