import CabinetBackend
import Foundation

extension DataBuffer {
    /// Appends any `Codable` value as a binary property list behind its byte count.
    ///
    /// Slower than the other forms by two orders of magnitude: for small values that have no form
    /// of their own. A value that refuses is kept in `writeError` as
    /// ``DataBufferError/coding(type:reason:)``.
    public final func writeCodable<Value: Encodable>(_ value: Value) {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        do {
            // A property list must be a container at its top.
            writeData(try encoder.encode([value]))
        } catch {
            fail(DataBufferError.coding(type: "\(Value.self)", reason: "\(error)"))
        }
    }

    /// Reads what ``writeCodable(_:)`` wrote.
    /// - Throws: ``DataBufferError/coding(type:reason:)`` for bytes that are no such value, or
    ///   ``DataBufferError/truncated(needed:remaining:)``; the position does not move.
    public final func readCodable<Value: Decodable>(
        _ type: Value.Type = Value.self
    ) throws(DataBufferError) -> Value {
        let start = position
        let data = try readData()
        let reason: String
        do {
            if let value = try PropertyListDecoder().decode([Value].self, from: data).first {
                return value
            }
            reason = "no value"
        } catch {
            reason = "\(error)"
        }
        move(to: start)
        throw .coding(type: "\(Value.self)", reason: reason)
    }
}
