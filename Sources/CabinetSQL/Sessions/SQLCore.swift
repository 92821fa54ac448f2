import CabinetBackend
import Synchronization

/// What a store in a database is worked with: the sessions, what of its commits is known here, and what is
/// held.
///
/// `Sendable`, because all of it guards itself.
package final class SQLCore: Sendable {
    package let host: any SQLHost
    package let route: any SQLRoute
    package let access: Access
    package let options: SQLOptions
    package let pool: SessionPool
    package let roster: Roster
    package let holds = Holds()
    let works = WorkCount()
    let left = LeftCommits()
    /// What takes records apart whose fields other programs see as columns.
    let translator = Guarded<(any RecordTranslator)?>(nil)
    let identity: UInt64
    let subscribers = CommitSubscribers()
    package let ticker = Ticker()
    /// Whether this process is registered, as it may write to the database.
    package let isRegistered: Bool
    private let known: Guarded<Known>

    /// The last commit that reads of now see, and when it was the last one of all.
    private struct Known {
        var number: CommitNumber
        var at = Clock.monotonic()
    }

    /// Uses the store in a database, which is there.
    /// - Parameters:
    ///   - route: how it is asked.
    ///   - registers: whether the database can be written, be it only to say who reads it.
    package init(
        _ host: any SQLHost, _ route: any SQLRoute = SessionRoute(), access: Access,
        registers: Bool, options: SQLOptions
    ) throws(BackendError) {
        self.host = host
        self.route = route
        self.access = access
        self.options = options
        let pool = SessionPool(host)
        let roster = Roster(host, grace: options.grace)
        self.pool = pool
        self.roster = roster
        do throws(BackendError) {
            let entry = try route.enter(
                roster, pool, registers: registers, isWriting: access == .readWrite)
            isRegistered = entry.isRegistered
            identity = entry.identity
            known = Guarded(Known(number: CommitNumber(number: entry.last)))
        } catch {
            _ = pool.close()
            throw error
        }
        ticker.start(self)
    }

    /// Backends, readers, walks and batches that are left keep the store open.
    deinit {
        _ = pool.close { try? leave(syncs: false, $0) }
        route.close()
    }

    /// - Throws: ``BackendError/closed``, ``BackendError/forked(path:)``.
    package func checkOpen() throws(BackendError) { try pool.checkOpen() }

    // MARK: What is known

    /// The last commit that reads of now see.
    package var lastKnown: CommitNumber { known.withLock { $0.number } }

    /// Reads see the commits up to that one from now on. Who hears of them does when they are delivered.
    package func note(last: Int64) {
        known.withLock { known in
            if known.number.number <= last { known.at = Clock.monotonic() }
            while known.number.number < last {
                known.number = known.number.next
                subscribers.enqueue(known.number)
            }
        }
    }

    /// Calls `body` with the store as of a commit that is held; `nil`: as of the last one that is known, or
    /// of a later one where that is not known any more.
    func read<Result>(
        asOf commit: CommitNumber?, _ body: (StateAsOf) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        SchedulePoint.read.pass()
        // Asked for before the transaction begins, which so sees it.
        let wanted = commit ?? lastKnown
        return try pool.read { session throws(BackendError) in
            guard wanted.number < session.state.oldest else {
                return try body(StateAsOf(session, wanted.number))
            }
            if let commit { throw .snapshotTooOld(commit) }
            note(last: session.state.last)
            return try body(StateAsOf(session, session.state.last))
        }
    }

    func refresh() throws(BackendError) -> CommitNumber {
        note(last: try route.look(self).last)
        subscribers.deliver()
        return lastKnown
    }

    /// Looks for commits of others, as it is said that there are some; on the ticker's queue.
    package func lookNow() { ticker.tick(self) }

    /// Tells who wants to hear of commits of those that are known.
    package func deliver() { subscribers.deliver() }

    // MARK: Holding

    func snapshot(label: String) throws(BackendError) -> SQLReader {
        while true {
            try pool.checkOpen()
            guard let hold = holds.add(lastKnown, label: label) else {
                _ = try refresh()
                continue
            }
            // From here on freeing it releases the hold.
            let reader = SQLReader(self, hold)
            if isSettled(hold.commit) { return reader }
            let isLast = try route.state(self).last <= hold.commit.number
            if isLast || roster.registered.map({ $0 <= hold.commit }) ?? false { return reader }
            try tellHolds()
            let isKept = try route.state(self).oldest <= hold.commit.number
            if isKept { return reader }
            _ = try refresh()
        }
    }

    /// Whether what was before a later commit is kept in any case until others are told that it is held: for
    /// as long as the grace lasts that readers have who are not registered yet.
    private func isSettled(_ commit: CommitNumber) -> Bool {
        guard isRegistered, options.beat * 4 <= options.grace else { return false }
        let known = known.withLock { $0 }
        return known.number == commit && Clock.monotonic() - known.at < options.grace / 2
    }

    /// Says in the store what is held here, where anything can be said there.
    package func tellHolds() throws(BackendError) {
        guard isRegistered else { return }
        try route.register(self)
    }

    // MARK: The end

    /// Ends the use of the store. Again it does nothing.
    /// - Throws: what making all commits safe throws; the store is closed then, too.
    func close() throws(BackendError) {
        // What fails is left for the next one.
        if access == .readWrite { try? removePast(limit: Self.slicesAtTheEnd) }
        var failure: BackendError?
        _ = pool.close { session in
            do throws(BackendError) {
                try leave(syncs: access == .readWrite, session)
            } catch {
                failure = error
            }
        }
        route.close()
        if let failure { throw failure }
    }

    private func leave(
        syncs: Bool, _ session: () throws(BackendError) -> Session
    ) throws(BackendError) {
        if try route.leave(self, syncs: syncs) { return }
        guard isRegistered || syncs, let session = try? session() else { return }
        var failure: BackendError?
        if syncs {
            do throws(BackendError) {
                try settleLeft(session)
                try Self.sync(session)
            } catch {
                failure = error
            }
        }
        // What is left behind goes when another process finds that this one has ended.
        try? session.transaction(.bookkeeping) { () throws(BackendError) in
            try roster.leave(session)
        }
        if let failure { throw failure }
    }

    // MARK: What is held

    var openSnapshots: [OpenSnapshot] {
        let held = holds.all
        // After closing nothing is held.
        guard !held.isEmpty, (try? pool.checkOpen()) != nil else { return [] }
        // Where the database cannot be asked, they are held all the same.
        let kept = try? route.bytesKept(since: held.map(\.commit), self)
        return zip(held, kept ?? held.map { _ in 0 }).map { hold, bytes in
            OpenSnapshot(
                commit: hold.commit, opened: hold.opened, bytes: bytes, label: hold.label)
        }
    }
}

/// How a store in a database is worked with. `Sendable`: a value.
package struct SQLOptions: Sendable {
    package var durability = Durability.full
    /// How many bytes of operations the latest commits may have for their changes to be kept.
    package var changesKept = 64 << 20
    /// How often a session that holds something says that it is alive.
    package var beat = Duration.seconds(10)
    /// How long what was replaced is kept for readers of other processes that have not registered yet, and
    /// what a session holds that gives no sign of life.
    package var grace = Duration.seconds(60)
    /// How often a subscriber's session looks for commits of others.
    package var look = Duration.milliseconds(100)
    /// How far the time between two looks grows while there are none; not below ``look``.
    package var longestLook = Duration.milliseconds(100)
    package var log = LogSink.none

    package init() {}
}
