import CabinetBackend

/// The named buffers that the next save sets or removes.
final class PendingNames {
    /// A copy of a buffer. It holds no store, which would hold it in turn.
    struct Copy {
        let bytes: [UInt8]
        let writeError: (any Error)?
        /// Whether the buffer was written or read in another store.
        let isForeign: Bool

        init(_ buffer: DataBuffer, for store: ObjectContext) {
            bytes = buffer.withUnsafeBytes { [UInt8]($0) }
            writeError = buffer.writeError
            isForeign = buffer.context != nil && buffer.context !== store
        }
    }

    /// What the next save sets (or removes, with `nil`).
    @exclusivity(unchecked) var buffers: [String: Copy?] = [:]

    var isEmpty: Bool { buffers.isEmpty }

    /// - Throws: why a buffer cannot be saved.
    func write(to batch: WriteBatch) throws {
        batch.expect(buffers.count, in: .namedBuffers)
        for (name, buffer) in buffers {
            try Array(name.utf8).withUnsafeBytes { key throws in
                guard let buffer else { return try batch.deleteKey(key, in: .namedBuffers) }
                try Self.check(buffer, name)
                try buffer.bytes.withUnsafeBytes { value throws in
                    try batch.put(value, for: key, in: .namedBuffers)
                }
            }
        }
    }

    private static func check(_ buffer: Copy, _ name: String) throws {
        if let reason = buffer.writeError as? DataBufferError {
            throw StoreError.cannotWriteName(name, reason: reason)
        }
        if let error = buffer.writeError { throw error }
        if buffer.isForeign { throw StoreError.wrongStore(class: "NamedBuffers") }
    }

    func removeAll() { buffers = [:] }
}
