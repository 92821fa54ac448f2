/// A reader of bytes that may come from anywhere, and must survive them.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// The readers of `DataBuffer`, in an order that the bytes choose.
    case dataBuffer
    /// The operations in a batch or a frame.
    case operations
    /// A snapshot file.
    case snapshot

    /// Reads `bytes`. Every outcome is fine but a trap, or a breach of the reader's own promises,
    /// which traps too.
    package func run(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .dataBuffer: BufferAttempt.run(bytes)
        case .operations: OperationAttempt.run(bytes)
        case .snapshot: SnapshotAttempt.run(bytes)
        }
    }
}
