import CabinetBackend

/// What a value is given to encode itself.
struct CompactEncoder: Encoder {
    let position: CompactFrame

    var codingPath: [any CodingKey] { position.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private static let twoKinds = "a value asked for containers of two kinds"

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(
            CompactKeyedEncoding(
                position: position.become(.keyed) ?? position.refused(Self.twoKinds).become(.keyed)
                    ?? position)
        )
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        CompactUnkeyedEncoding(
            position: position.become(.unkeyed) ?? position.refused(Self.twoKinds).become(.unkeyed)
                ?? position)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        CompactSingleEncoding(
            position: position.become(.single) ?? position.refused(Self.twoKinds).become(.single)
                ?? position)
    }
}

extension CompactForm {
    /// Appends the compact form of `value` to `buffer`.
    /// - Throws: what the value's `encode(to:)` throws, an `EncodingError`, or a ``DataBufferError``.
    static func encode<Value: Encodable>(_ value: Value, to buffer: DataBuffer) throws {
        let scope = CompactScope()
        let writer = CompactWriter(scope)
        try writer.write(value)
        if let failure = scope.failure ?? writer.buffer.writeError { throw failure }
        let head = CompactWriter(scope)
        head.buffer.writeUInt8(mark)
        head.writeNumber(UInt64(scope.names.count))
        for name in scope.names { head.writeCounted(name) }
        head.buffer.withUnsafeBytes { buffer.writeRawBytes($0) }
        writer.buffer.withUnsafeBytes { buffer.writeRawBytes($0) }
    }
}
