struct CompactSingleEncoding: SingleValueEncodingContainer {
    let position: CompactFrame

    var codingPath: [any CodingKey] { position.codingPath }

    @inline(__always)
    private func write(_ body: (CompactWriter) throws -> Void) throws {
        let writer = try position.open()
        guard writer.frames[Int(position.index)].count == 0 else {
            let reason = "a single value container was given two values"
            throw EncodingError.invalidValue(
                reason, .init(codingPath: codingPath, debugDescription: reason))
        }
        try body(writer)
        position.count()
    }

    func encode<Value: Encodable>(_ value: Value) throws { try write { try $0.write(value) } }
    func encodeNil() throws { try write { $0.writeNil() } }
    func encode(_ value: Bool) throws { try write { $0.writeBool(value) } }
    func encode(_ value: String) throws { try write { $0.writeText(value) } }
    func encode(_ value: Double) throws { try write { $0.writeDouble(value) } }
    func encode(_ value: Float) throws { try write { $0.writeFloat(value) } }
    func encode(_ value: Int) throws { try write { $0.writeInteger(value) } }
    func encode(_ value: Int8) throws { try write { $0.writeInteger(value) } }
    func encode(_ value: Int16) throws { try write { $0.writeInteger(value) } }
    func encode(_ value: Int32) throws { try write { $0.writeInteger(value) } }
    func encode(_ value: Int64) throws { try write { $0.writeInteger(value) } }
    func encode(_ value: Int128) throws { try write { $0.writeInteger(value) } }
    func encode(_ value: UInt) throws { try write { $0.writeInteger(value) } }
    func encode(_ value: UInt8) throws { try write { $0.writeInteger(value) } }
    func encode(_ value: UInt16) throws { try write { $0.writeInteger(value) } }
    func encode(_ value: UInt32) throws { try write { $0.writeInteger(value) } }
    func encode(_ value: UInt64) throws { try write { $0.writeInteger(value) } }
    func encode(_ value: UInt128) throws { try write { $0.writeInteger(value) } }
}
