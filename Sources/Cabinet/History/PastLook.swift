import CLibrary
import CabinetBackend
import Foundation

/// The moment as of which a store is to be read.
package enum PastMoment: Sendable {
    case commit(CommitNumber)
    /// The last commit at or before then, by number: clocks are set back.
    case date(Date)
}

/// A look back from one commit over the commits before it.
///
/// Of those that the feed has not any more, tables of history have what they replaced. Not `Sendable`.
struct PastLook {
    let backend: any Backend
    /// Reads as of ``last``.
    let base: any BackendReader
    /// The last commit of the look.
    let last: CommitNumber
    /// What was moved out of the feed, which may have it still: what was purged is gone from here first.
    let tables: HistoryTables?
    /// The commit after which all are known.
    let oldest: CommitNumber

    /// A look from the last commit on.
    /// - Parameter label: what ``Backend/openSnapshots`` says of it while it reads.
    /// - Throws: ``BackendError/unsupported(_:)`` of an engine without frozen readers or a feed.
    init(over backend: any Backend, label: String) throws(BackendError) {
        guard backend.features.isSuperset(of: [.changes, .lines]) else {
            throw .unsupported("the changes of commits")
        }
        self.backend = backend
        // What the feed has not any more by now, the tables have by the time of the reader.
        let oldest = try Self.oldest(in: backend)
        try backend.refreshBesideOthers()
        base = try backend.snapshot(label: label)
        last = try base.lastCommit()
        guard oldest <= last else { throw .changesGone(oldest: oldest) }
        if let tables = try HistoryTables(base, backend.lines()), tables.last >= oldest {
            (self.tables, self.oldest) = (tables, tables.oldest)
        } else {
            (tables, self.oldest) = (nil, oldest)
        }
    }

    /// The commit after which the feed has all.
    static func oldest(in backend: any Backend) throws(BackendError) -> CommitNumber {
        do throws(BackendError) {
            _ = try backend.changes(after: .none)
            return .none
        } catch {
            guard case .changesGone(let oldest) = error else { throw error }
            return oldest
        }
    }

    /// A reader as of a moment.
    /// - Throws: ``BackendError/changesGone(oldest:)`` with the first commit as of which the store can be
    ///   read, also for a commit that there is not yet: with the last one.
    func reader(asOf moment: PastMoment) throws(BackendError) -> PastReader {
        switch moment {
        case .commit(let number):
            return PastReader(base, asOf: number, try state(asOf: number))
        case .date(let date):
            let (number, state) = try state(asOf: date)
            return PastReader(base, asOf: number, state)
        }
    }

    /// What was there as of a commit of what has changed since.
    func state(asOf number: CommitNumber) throws(BackendError) -> FormerState {
        guard number <= last else { throw .changesGone(oldest: last) }
        guard number >= oldest else { throw .changesGone(oldest: oldest) }
        var state = FormerState()
        try tables?.forEachEntry(after: number) { commit, content, value in
            state.note(content, HistoryValue.read(value), in: commit)
        }
        try forEachCommit(after: number) { commit throws(BackendError) in try state.note(commit) }
        try state.resolve(by: base)
        return state
    }

    /// As of the last commit, by number, that was made at or before `date`.
    private func state(
        asOf date: Date
    ) throws(BackendError) -> (CommitNumber, FormerState) {
        let time = Self.microseconds(of: date)
        var found: CommitNumber? = oldest == 0 ? 0 : nil
        var state = FormerState()
        func begin(_ commit: CommitNumber, _ commitTime: UInt64) {
            if commitTime <= time { (found, state) = (commit, FormerState()) }
        }
        try tables?.forEachEntry(after: oldest) { commit, content, value in
            if case .commit = content { begin(commit, MovedCommit(commit, value).time) }
            guard found != nil, found != commit else { return }
            state.note(content, HistoryValue.read(value), in: commit)
        }
        try forEachCommit(after: oldest) { commit throws(BackendError) in
            begin(commit.number, commit.time)
            if found != nil, found != commit.number { try state.note(commit) }
        }
        guard let found else { throw .changesGone(oldest: min(oldest.next, last)) }
        try state.resolve(by: base)
        return (found, state)
    }

    /// The last commit, by number, that was made before `date`; `nil`: it is not known any more.
    func start(since date: Date) throws(BackendError) -> CommitNumber? {
        let time = Self.microseconds(of: date)
        var found: CommitNumber? = oldest == 0 ? 0 : nil
        for commit in try tables?.commits(after: oldest) ?? [] where commit.time < time {
            found = commit.number
        }
        try forEachCommit(after: oldest) { commit throws(BackendError) in
            if commit.time < time { found = commit.number }
        }
        return found
    }

    /// Since 1970; 0 before that.
    static func microseconds(of date: Date) -> UInt64 {
        let time = (date.timeIntervalSince1970 * 1_000_000).rounded()
        return time > 0 ? UInt64(exactly: time) ?? .max : 0
    }

    /// Calls `body` with the commits after one that the feed has and ``tables`` have not, up to the last one of
    /// the look, in their order.
    func forEachCommit(
        after number: CommitNumber,
        _ body: (CommittedChanges) throws(BackendError) -> Void
    ) throws(BackendError) {
        let number = max(number, tables?.last ?? 0)
        guard number < last else { return }
        let cursor = try backend.changes(after: number)
        var (next, waits) = (number.next, 0)
        while next <= last {
            guard let commit = try cursor.next() else {
                // A reader may see a commit a moment before the feed has it.
                waits += 1
                guard waits < 10_000 else { throw .changesGone(oldest: last) }
                usleep(500)
                continue
            }
            if commit.number > last { return }
            try body(commit)
            next = commit.number.next
        }
    }
}
