import CabinetBackend

extension DictionaryBackend {
    public func makeBatch() -> WriteBatch { WriteBatch(sink: KeptChunks(of: self)) }

    public func discard(_ batch: WriteBatch) { (batch.sink as? KeptChunks)?.removeAll() }

    @discardableResult
    public func commit(_ batch: WriteBatch) throws(BackendError) -> CommitNumber {
        let kept = batch.sink as? KeptChunks
        defer { kept?.removeAll() }
        let number = try withState { state throws(BackendError) in
            if batch.isEmpty, !batch.hasDemands { return state.lastCommit }
            try checkWritable()
            if let failure = kept?.failure { throw failure }
            if batch.hasDemands { try batch.resolve(on: state) }
            if batch.isEmpty { return state.lastCommit }
            let draft = BatchDraft(of: state, limits: limits)
            var after = state
            for chunk in (kept?.chunks ?? []) + [KeptChunks.operations(of: batch)] {
                try chunk.withUnsafeBufferPointer { bytes throws(BackendError) in
                    let operations = UnsafeRawBufferPointer(bytes)
                    try draft.check(operations)
                    draft.startNextChunk()
                    after.apply(operations)
                }
            }
            after.lastCommit = after.lastCommit.next
            state = after
            subscribers.enqueue(after.lastCommit)
            return after.lastCommit
        }
        subscribers.deliver()
        return number
    }
}

/// The full chunks of one batch, kept until it is committed or given up.
final class KeptChunks: ChunkSink {
    private let backend: DictionaryBackend
    private(set) var chunks: [[UInt8]] = []
    private(set) var failure: BackendError?

    init(of backend: DictionaryBackend) { self.backend = backend }

    func stage(_ batch: WriteBatch) throws(BackendError) {
        do { _ = try backend.lastCommit() } catch {
            failure = error
            throw error
        }
        chunks.append(Self.operations(of: batch))
        batch.startNextChunk()
    }

    func removeAll() { chunks = [] }

    /// What the batch holds behind the headroom.
    static func operations(of batch: WriteBatch) -> [UInt8] {
        Array(batch.chunk()[WriteBatch.headroom...])
    }
}
