struct CompactKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let position: CompactFrame

    var codingPath: [any CodingKey] { position.codingPath }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let start = position.writer.buffer.count
        let writer = try position.open(key)
        do { try writer.write(value) } catch {
            writer.buffer.takeBack(to: start)
            throw error
        }
    }

    func encodeNil(forKey key: Key) throws { try position.open(key).writeNil() }
    func encode(_ value: Bool, forKey key: Key) throws { try position.open(key).writeBool(value) }
    func encode(_ value: String, forKey key: Key) throws { try position.open(key).writeText(value) }
    func encode(_ value: Double, forKey key: Key) throws {
        try position.open(key).writeDouble(value)
    }
    func encode(_ value: Float, forKey key: Key) throws { try position.open(key).writeFloat(value) }
    func encode(_ value: Int, forKey key: Key) throws {
        try position.open(key).writeInteger(value)
    }
    func encode(_ value: Int8, forKey key: Key) throws {
        try position.open(key).writeInteger(value)
    }
    func encode(_ value: Int16, forKey key: Key) throws {
        try position.open(key).writeInteger(value)
    }
    func encode(_ value: Int32, forKey key: Key) throws {
        try position.open(key).writeInteger(value)
    }
    func encode(_ value: Int64, forKey key: Key) throws {
        try position.open(key).writeInteger(value)
    }
    func encode(_ value: Int128, forKey key: Key) throws {
        try position.open(key).writeInteger(value)
    }
    func encode(_ value: UInt, forKey key: Key) throws {
        try position.open(key).writeInteger(value)
    }
    func encode(_ value: UInt8, forKey key: Key) throws {
        try position.open(key).writeInteger(value)
    }
    func encode(_ value: UInt16, forKey key: Key) throws {
        try position.open(key).writeInteger(value)
    }
    func encode(_ value: UInt32, forKey key: Key) throws {
        try position.open(key).writeInteger(value)
    }
    func encode(_ value: UInt64, forKey key: Key) throws {
        try position.open(key).writeInteger(value)
    }
    func encode(_ value: UInt128, forKey key: Key) throws {
        try position.open(key).writeInteger(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(CompactKeyedEncoding<Nested>(position: nested(.keyed, key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        CompactUnkeyedEncoding(position: nested(.unkeyed, key))
    }

    func superEncoder() -> any Encoder {
        CompactEncoder(position: nested(.none, CompactForm.Key.super))
    }
    func superEncoder(forKey key: Key) -> any Encoder {
        CompactEncoder(position: nested(.none, key))
    }

    private func nested(
        _ content: CompactWriter.Frame.Content, _ key: some CodingKey
    ) -> CompactFrame {
        let start = position.writer.buffer.count
        let writer = try? position.open(key)
        let inner = position.nested(content)
        // A refused container has left a key without a value.
        if let writer, inner.writer.depth == 0 { writer.buffer.takeBack(to: start) }
        return inner
    }
}
