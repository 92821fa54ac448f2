import CabinetBackend

extension MemoryBackend {
    public func makeBatch() -> WriteBatch { WriteBatch(sink: StagedChunks(of: self)) }

    @discardableResult
    public func commit(_ batch: WriteBatch) throws(BackendError) -> CommitNumber {
        let staged = batch.sink as? StagedChunks
        defer { staged?.removeAll() }
        return try withContents { contents throws(BackendError) in
            if batch.isEmpty { return contents.lastCommit }
            try checkWritable()
            if let failure = staged?.failure { throw failure }
            let last = StagedChunks.operations(of: batch)
            var draft = Draft(of: contents)
            for chunk in staged?.chunks ?? [] { try draft.check(chunk) }
            try draft.check(last)
            staged?.consume { contents.apply($0) }
            contents.apply(last)
            return contents.finishCommit(batch.usage)
        }
    }

    public func discard(_ batch: WriteBatch) { (batch.sink as? StagedChunks)?.removeAll() }
}
