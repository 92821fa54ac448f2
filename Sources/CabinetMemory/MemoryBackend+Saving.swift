import CabinetBackend

extension MemoryBackend {
    public func makeBatch() -> WriteBatch { WriteBatch(sink: StagedChunks(of: self)) }

    @discardableResult
    public func commit(_ batch: WriteBatch) throws(BackendError) -> CommitNumber {
        try commit(batch, meanwhile: {})
    }

    @discardableResult
    public func commit(
        _ batch: WriteBatch, meanwhile body: () -> Void
    ) throws(BackendError) -> CommitNumber {
        let staged = batch.sink as? StagedChunks
        SchedulePoint.commit.pass()
        defer { staged?.removeAll() }
        let number = try withContents { contents throws(BackendError) in
            if batch.isEmpty, !batch.hasDemands { return contents.lastCommit }
            try checkWritable()
            if let failure = staged?.failure { throw failure }
            return try commit(batch, staged, to: contents)
        }
        // Neither may run inside the lock: they may use the backend.
        body()
        subscribers.deliver()
        return number
    }

    private func commit(
        _ batch: WriteBatch, _ staged: StagedChunks?, to contents: Contents
    ) throws(BackendError) -> CommitNumber {
        let chunks = staged?.chunks ?? []
        if batch.hasDemands { try batch.resolve(on: contents, handedOver: chunks) }
        if batch.isEmpty { return contents.lastCommit }
        let last = StagedChunks.operations(of: batch)
        let draft = BatchDraft(of: contents, limits: limits)
        for chunk in chunks {
            try draft.check(chunk)
            draft.startNextChunk()
        }
        try draft.check(last)
        contents.noteCounts(batch.usage)
        contents.feed.append(contents.lastCommit.next, author: batch.author, chunks, last)
        staged?.consume { contents.apply($0) }
        contents.apply(last)
        let number = contents.finishCommit(batch.usage)
        subscribers.enqueue(number)
        return number
    }

    public func discard(_ batch: WriteBatch) { (batch.sink as? StagedChunks)?.removeAll() }

    // MARK: Following

    public func onCommit(
        _ body: @escaping @Sendable (CommitNumber) -> Void
    ) -> Subscription { subscribers.add(body) }

    public func changes(after number: CommitNumber) throws(BackendError) -> any ChangeCursor {
        _ = try withContents { contents throws(BackendError) in
            try contents.feed.next(after: number)
        }
        return MemoryChangeCursor(of: self, after: number)
    }
}

/// A walk over the commits of the feed. It keeps the number of the last one that it met.
final class MemoryChangeCursor: ChangeCursor {
    private let backend: MemoryBackend
    private var last: CommitNumber

    init(of backend: MemoryBackend, after number: CommitNumber) {
        self.backend = backend
        last = number
    }

    func next() throws(BackendError) -> CommittedChanges? {
        let after = last
        let commit = try backend.withContents { contents throws(BackendError) in
            try contents.feed.next(after: after)
        }
        if let commit { last = commit.number }
        return commit
    }
}
