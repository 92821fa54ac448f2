import CabinetBackend

extension TokyoBackend {
    /// A segment is closed when it has grown to this many bytes: 64 MiB.
    static let segmentLimit: UInt64 = 64 << 20

    @discardableResult
    public func commit(_ batch: WriteBatch) throws(BackendError) -> CommitNumber {
        try commit(batch, meanwhile: {})
    }

    @discardableResult
    public func commit(
        _ batch: WriteBatch, meanwhile body: () -> Void
    ) throws(BackendError) -> CommitNumber {
        try makeCommit(batch, freezing: nil, meanwhile: body).number
    }

    public func commit(
        _ batch: WriteBatch, freezing label: String, meanwhile body: () -> Void
    ) throws(BackendError) -> (number: CommitNumber, reader: (any BackendReader)?) {
        let outcome = try makeCommit(batch, freezing: label, meanwhile: body)
        return (outcome.number, outcome.hold.map { FrozenTokyo(self, $0) })
    }

    /// Commits a batch; with a label, a reader holds the last commit from then on.
    private func makeCommit(
        _ batch: WriteBatch, freezing label: String?, meanwhile body: () -> Void
    ) throws(BackendError) -> CommitOutcome {
        try checkProcess()
        let owner: AnyObject = batch.sink as? Staging ?? batch
        defer { (owner as? Staging)?.end() }
        if let failure = (owner as? Staging)?.failure { throw failure }
        SchedulePoint.commit.pass()
        let shared = try turn.take(
            for: owner, toCommit: batch, label: label, isShared: durability == .full)
        if let shared {
            let outcome = try shared.get()
            body()
            subscribers.deliver()
            return outcome
        }
        let outcome: CommitOutcome
        do throws(BackendError) {
            outcome = try commitWithTurn(batch, freezing: label, meanwhile: body)
        } catch {
            giveUp(owner)
            throw error
        }
        turn.giveBack(owner)
        subscribers.deliver()
        return outcome
    }

    private func commitWithTurn(
        _ batch: WriteBatch, freezing label: String?, meanwhile body: () -> Void
    ) throws(BackendError) -> CommitOutcome {
        // The thread that has the turn needs no lock to see whether the store is open.
        try checkOpen()
        guard access == .readWrite else { throw .readOnly(path: location) }
        if batch.hasDemands(after: commitLog.lastCommit) { try resolve(batch) }
        guard !batch.isEmpty else {
            body()
            return CommitOutcome(commitLog.lastCommit)
        }
        let commit = try prepare(batch)
        // Others come to wait for the turn.
        SchedulePoint.commit.pass()
        return try carryOut(commit, freezing: label, meanwhile: body)
    }

    public func sync() throws(BackendError) {
        try checkProcess()
        try lock.reading { () throws(BackendError) in try checkOpen() }
        guard access == .readWrite else { return }
        let owner = Syncer()
        try turn.take(for: owner)
        defer { turn.giveBack(owner) }
        try lock.reading { () throws(BackendError) in try checkOpen() }
        try commitLog.sync(tables: tableStates)
    }

    /// Stands for a caller that takes the turn for a moment.
    private final class Syncer {}
}
