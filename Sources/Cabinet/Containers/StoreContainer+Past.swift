import CabinetBackend
import Foundation

extension StoreContainer {
    /// Calls `body` with a store that stays at an earlier commit: objects, relationships, fetches, counts and
    /// named buffers are as they were then.
    ///
    /// Classes must keep their history (``StoredObject/keepsHistory``), and have kept it since: reading one
    /// that a commit since then has changed without saying what it has replaced throws
    /// ``BackendError/changesGone(oldest:)``, with the first commit as of which the class can be read. A
    /// class that has not changed since can be read in any case.
    ///
    /// The store cannot save. It has no indexes and no text indexes, which are of now: each query looks at all
    /// objects of its class, and ``StoreQuery/explain(running:)`` says so. Objects are read by the classes of
    /// this program, as those of old records are. The call takes time and memory for all that has changed since
    /// the commit.
    /// - Parameters:
    ///   - commit: a commit of this store: ``CommitNumber/none`` for before the first one.
    ///   - fileID: with `line`, what ``openSnapshots`` says of the store.
    ///   - line: see `fileID`.
    ///   - body: must not keep the store or objects of it.
    /// - Throws: ``BackendError/changesGone(oldest:)`` if the commits after `commit` are not known any more, or
    ///   if there is none of that number yet; what `body` throws; `BackendError.unsupported` if the engine
    ///   has no frozen readers or no feed; what ``makeStore(fileID:line:)`` throws.
    @concurrent
    public func read<Result: Sendable>(
        asOf commit: CommitNumber, fileID: String = #fileID, line: Int = #line,
        _ body: @Sendable (Store) throws -> Result
    ) async throws -> Result {
        try read(asOf: .commit(commit), "\(fileID):\(line)", body)
    }

    /// Calls `body` with a store that stays at the last commit that was made at or before `date`, as
    /// ``read(asOf:fileID:line:_:)-(CommitNumber,_,_,_)`` does.
    ///
    /// Commits have the time of their machine's clock. Where that was set back, the last commit by number
    /// counts whose time is not later.
    /// - Throws: as ``read(asOf:fileID:line:_:)-(CommitNumber,_,_,_)``; with
    ///   ``BackendError/changesGone(oldest:)`` also if all commits that are known were made after `date`.
    @concurrent
    public func read<Result: Sendable>(
        asOf date: Date, fileID: String = #fileID, line: Int = #line,
        _ body: @Sendable (Store) throws -> Result
    ) async throws -> Result {
        try read(asOf: .date(date), "\(fileID):\(line)", body)
    }

    private func read<Result: Sendable>(
        asOf moment: PastMoment, _ label: String, _ body: @Sendable (Store) throws -> Result
    ) throws -> Result {
        let reader = try PastLook.with(backend, label: label) { try $0.reader(asOf: moment) }
        let store = try makeStore(over: reader)
        defer { try? store.close() }
        return try body(store)
    }

    /// What has become of the objects of all classes from one commit to another, by class and row: an object
    /// that was changed and changed back is not there. `second` may be the earlier one.
    ///
    /// - Throws: ``BackendError/changesGone(oldest:)`` if the commits after the earlier one are not known any
    ///   more, or if one up to the later one has changed objects without saying what it has replaced; a ``StoreError`` for a
    ///   record that cannot be read.
    public func changes(
        from first: CommitNumber, to second: CommitNumber
    ) throws -> [NetChange] {
        try PastLook.with(backend, label: "changes") { try $0.changes(from: first, to: second) }
    }
}
