import Foundation

extension Date: OrderedKeyValue {
    /// Appends 9 bytes: the seconds since 2001-01-01 00:00 UTC as a `Double`.
    public func write(to key: inout OrderedKeyBuilder) {
        key.append(tag: KeyTag.date, timeIntervalSinceReferenceDate)
    }

    public static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> Date {
        Date(timeIntervalSinceReferenceDate: try key.readFloat(tag: KeyTag.date, type: "Date"))
    }
}

extension UUID: OrderedKeyValue {
    /// Appends 17 bytes.
    public func write(to key: inout OrderedKeyBuilder) {
        key.appendByte(KeyTag.uuid)
        Swift.withUnsafeBytes(of: uuid) { bytes in
            for byte in bytes { key.appendByte(byte) }
        }
    }

    public static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> UUID {
        try key.expect(KeyTag.uuid, for: "UUID")
        var uuid = uuid_t(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let bytes = try key.take(16)
        Swift.withUnsafeMutableBytes(of: &uuid) { $0.copyMemory(from: bytes) }
        return UUID(uuid: uuid)
    }
}

extension Data: OrderedKeyValue {
    /// Appends the bytes, those of value 0 and 1 as two; shorter data comes first if longer data begins
    /// with it.
    public func write(to key: inout OrderedKeyBuilder) {
        withUnsafeBytes { key.append(tag: KeyTag.data, $0) }
    }

    public static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> Data {
        try key.expect(KeyTag.data, for: "Data")
        return Data(try key.readEscaped(type: "Data"))
    }
}
