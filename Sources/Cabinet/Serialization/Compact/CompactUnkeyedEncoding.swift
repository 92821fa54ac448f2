struct CompactUnkeyedEncoding: UnkeyedEncodingContainer {
    let position: CompactFrame

    var codingPath: [any CodingKey] { position.codingPath }
    var count: Int {
        (try? position.open())?.frames[Int(position.index)].count ?? 0
    }

    @inline(__always)
    private func append(_ body: (CompactWriter) throws -> Void) throws {
        try body(try position.open())
        position.count()
    }

    func encode<Value: Encodable>(_ value: Value) throws { try append { try $0.write(value) } }
    func encodeNil() throws { try append { $0.writeNil() } }
    func encode(_ value: Bool) throws { try append { $0.writeBool(value) } }
    func encode(_ value: String) throws { try append { $0.writeText(value) } }
    func encode(_ value: Double) throws { try append { $0.writeDouble(value) } }
    func encode(_ value: Float) throws { try append { $0.writeFloat(value) } }
    func encode(_ value: Int) throws { try append { $0.writeInteger(value) } }
    func encode(_ value: Int8) throws { try append { $0.writeInteger(value) } }
    func encode(_ value: Int16) throws { try append { $0.writeInteger(value) } }
    func encode(_ value: Int32) throws { try append { $0.writeInteger(value) } }
    func encode(_ value: Int64) throws { try append { $0.writeInteger(value) } }
    func encode(_ value: Int128) throws { try append { $0.writeInteger(value) } }
    func encode(_ value: UInt) throws { try append { $0.writeInteger(value) } }
    func encode(_ value: UInt8) throws { try append { $0.writeInteger(value) } }
    func encode(_ value: UInt16) throws { try append { $0.writeInteger(value) } }
    func encode(_ value: UInt32) throws { try append { $0.writeInteger(value) } }
    func encode(_ value: UInt64) throws { try append { $0.writeInteger(value) } }
    func encode(_ value: UInt128) throws { try append { $0.writeInteger(value) } }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(CompactKeyedEncoding<Nested>(position: nested(.keyed)))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        CompactUnkeyedEncoding(position: nested(.unkeyed))
    }

    func superEncoder() -> any Encoder { CompactEncoder(position: nested(.none)) }

    private func nested(_ content: CompactWriter.Frame.Content) -> CompactFrame {
        let inner = position.nested(content)
        if inner.writer.depth > 0 { position.count() }
        return inner
    }
}
