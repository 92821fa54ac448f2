import CabinetBackend

/// Keeps the chunks of a batch, or does with them what the fault says.
final class Collector: ChunkSink {
    private let owner: RuleBreakingBackend
    private var changes: [Change] = []

    init(_ owner: RuleBreakingBackend) { self.owner = owner }

    func stage(_ batch: WriteBatch) throws(BackendError) {
        try owner.check()
        let chunk = Self.last(of: batch)
        switch owner.fault {
        case .losesChunks: break
        case .commitsChunksEarly: try owner.apply(chunk)
        default: changes += chunk
        }
        batch.startNextChunk()
    }

    /// The batch has come to its end.
    func finish() {
        if owner.fault != .keepsChunks { changes = [] }
    }

    static func changes(of batch: WriteBatch) -> [Change] {
        ((batch.sink as? Collector)?.changes ?? []) + last(of: batch)
    }

    private static func last(of batch: WriteBatch) -> [Change] {
        let bytes = UnsafeRawBufferPointer(rebasing: batch.chunk()[WriteBatch.headroom...])
        var reader = OperationReader(bytes)
        var changes: [Change] = []
        while let operation = reader.next() { changes.append(Change(operation)) }
        return changes
    }
}
