import CabinetBackend

extension DataBuffer {
    /// Appends any `Codable` value in a compact binary form behind its byte count: each key is
    /// written once, `Date`, `UUID`, `Data`, `Decimal` and `URL` as what they are.
    ///
    /// Several times slower than the forms of values that have one of their own. A value that
    /// refuses, or whose parts are nested more than 128 deep, is kept in `writeError` as
    /// ``DataBufferError/coding(type:reason:)``.
    public final func writeCodable<Value: Encodable>(_ value: Value) {
        let start = count
        writeUInt32(0)
        do {
            try CompactForm.encode(value, to: self)
            patchUInt32(UInt32(truncatingIfNeeded: count - start - 4), at: start)
        } catch let error as DataBufferError {
            fail(error)
        } catch {
            fail(DataBufferError.coding(type: "\(Value.self)", reason: "\(error)"))
        }
    }

    /// Reads what ``writeCodable(_:)`` wrote.
    /// - Throws: ``DataBufferError/coding(type:reason:)`` for bytes that are no such value or are
    ///   nested more than 160 deep, or ``DataBufferError/truncated(needed:remaining:)``; the position
    ///   does not move.
    public final func readCodable<Value: Decodable>(
        _ type: Value.Type = Value.self
    ) throws(DataBufferError) -> Value {
        try readCodable { bytes throws in try CompactForm.decode(type, from: bytes) }
    }

    /// As ``readCodable(_:)``, with `decode` for the compact form.
    @inline(__always)
    final func readCodable<Value: Decodable>(
        _ decode: (UnsafeRawBufferPointer) throws -> Value
    ) throws(DataBufferError) -> Value {
        let bytes = try peekCounted()
        let value: Value
        do {
            value = try decode(bytes)
        } catch {
            throw .coding(type: "\(Value.self)", reason: "\(error)")
        }
        try skipCounted()
        return value
    }
}
