import CabinetBackend

/// Finds what the commits have done to a row that wait to be moved into tables of history, without reading
/// all of them.
///
/// The worker of history goes over each commit anyway, and a look goes on from there. Of a commit this keeps
/// where it has changed which row, 24 bytes a row, and small commits as a whole, as long as they do not take too
/// much memory. Over an engine with other writers looks alone read commits.
///
/// `Sendable`, because a lock guards its state.
final class WaitingChanges: HubWorker {
    /// A commit that has changed rows.
    struct Commit: Sendable {
        let header: MovedCommit
        /// `nil`: it is to be read again.
        fileprivate let changes: CommittedChanges?
        /// The tables of which it says that other rows are new.
        fileprivate let newRows: [TableNumber]
    }

    fileprivate struct State: Sendable {
        /// Of the commits after the first of these, up to the last, all is known.
        var range = CommitNumber.none...CommitNumber.none
        /// That of the last one; `nil` where no other process can have lost commits.
        var line: UInt64?
        var commits: [Commit] = []
        /// The ordinal of the first one.
        var first: WaitingRows.Ordinal = 0
        var rows = WaitingRows()
        /// How many bytes the changes take that are held in memory.
        var held = 0
        /// Up to where parts were moved lately, the oldest first: a look that began before has these yet to find.
        var moved: [CommitNumber] = []
    }

    private let state = Guarded(State())

    /// With more rows than these it begins anew, at the next commit; a look then reads all commits before that.
    fileprivate static let rowLimit = 1 << 22
    /// How many of the latest parts are still known.
    fileprivate static let partsKept = 16
    /// How many bytes of small commits are held.
    fileprivate static let heldLimit = 16 << 20

    /// The last commit that is known.
    var last: CommitNumber { state.withLock { $0.range.upperBound } }

    func end() { state.withLock { $0 = State() } }

    /// Takes note of the next commit.
    func note(_ commit: CommittedChanges, in backend: any Backend) throws(BackendError) {
        if backend.hasOtherWriters { return }
        try state.withLock { state throws(BackendError) in
            if commit.number <= state.range.upperBound { return }
            if commit.number != state.range.upperBound.next {
                state.begin(after: commit.number.previous)
            }
            try state.add(commit)
        }
    }

    /// Gives up the commits up to one, which were moved, once some more parts were.
    func remove(upTo number: CommitNumber) { state.withLock { $0.noteMoved(upTo: number) } }

    /// Calls `body` with each commit of a look's waiting ones that has changed a row, in their order, and
    /// with what goes over its operations on the row.
    /// - Returns: `false`: not all of the commits are known here, and `body` was not called.
    func forEachCommit(
        on row: RowPlace, of look: PastLook,
        _ body: (
            Commit, ((Operation) throws(BackendError) -> Void) throws(BackendError) -> Void
        ) throws(BackendError) -> Void
    ) throws(BackendError) -> Bool {
        let start = max(look.oldest, look.tables?.last ?? 0)
        let found = try state.withLock { state throws(BackendError) in
            try state.follow(look, from: start)
                ? state.changes(of: row, after: start, upTo: look.last) : nil
        }
        guard let found else { return false }
        for (commit, stretches) in found {
            let changes: CommittedChanges
            if let held = commit.changes {
                changes = held
            } else {
                changes = try Self.read(commit.header.number, look.backend)
            }
            try body(commit) { body throws(BackendError) in
                for stretch in stretches {
                    try changes.forEachOperation(on: row, in: stretch, body)
                }
                if commit.newRows.contains(row.table) {
                    try FormerValue.withNewRows(in: row.table, body)
                }
            }
        }
        return true
    }

    private static func read(
        _ number: CommitNumber, _ backend: any Backend
    ) throws(BackendError) -> CommittedChanges {
        guard let commit = try backend.changes(after: number.previous).next(),
            commit.number == number
        else { throw .changesGone(oldest: number) }
        return commit
    }
}

extension WaitingChanges.State {
    fileprivate mutating func begin(after number: CommitNumber) {
        self = Self()
        range = number...number
    }

    fileprivate mutating func add(_ commit: CommittedChanges) throws(BackendError) {
        let ordinal = first + WaitingRows.Ordinal(commits.count)
        var entries: [WaitingRows.Entry] = []
        let said = try commit.forEachStretch { row, stretch in
            entries.append(WaitingRows.Entry(row, in: ordinal, stretch))
        }
        range = range.lowerBound...commit.number
        if entries.isEmpty { return }
        let size = commit.operations?.count ?? 0
        let isHeld = held + size <= WaitingChanges.heldLimit
        if isHeld { held += size }
        commits.append(
            WaitingChanges.Commit(
                header: MovedCommit(commit, said.notes), changes: isHeld ? commit : nil,
                newRows: said.newRows))
        rows.append(entries)
        if rows.count > WaitingChanges.rowLimit { begin(after: commit.number) }
    }

    fileprivate mutating func noteMoved(upTo number: CommitNumber) {
        if number <= moved.last ?? 0 { return }
        moved.append(number)
        if moved.count > WaitingChanges.partsKept { remove(upTo: moved.removeFirst()) }
    }

    private mutating func remove(upTo number: CommitNumber) {
        guard number > range.lowerBound else { return }
        let count = commits.partitioningIndex { $0.header.number > number }
        held -= commits[..<count].reduce(0) { $0 + ($1.changes?.operations?.count ?? 0) }
        commits.removeFirst(count)
        first += WaitingRows.Ordinal(count)
        range = number...max(number, range.upperBound)
        rows.removeRuns(before: first)
        if commits.isEmpty { (rows, first) = (WaitingRows(), 0) }
    }

    /// Knows all commits of a look after one; `false` if it cannot.
    fileprivate mutating func follow(
        _ look: PastLook, from start: CommitNumber
    ) throws(BackendError) -> Bool {
        // A look that is older than what was moved meanwhile.
        if start < range.lowerBound { return false }
        let backend = look.backend
        func line() throws(BackendError) -> UInt64? {
            backend.hasOtherWriters ? try backend.position(of: range.upperBound).line : nil
        }
        let isSameLine = try line() == self.line
        if start > range.upperBound || !isSameLine { begin(after: start) }
        noteMoved(upTo: start)
        try look.forEachCommit(after: range.upperBound) { commit throws(BackendError) in
            try add(commit)
        }
        self.line = try line()
        return start >= range.lowerBound
    }

    fileprivate func changes(
        of row: RowPlace, after start: CommitNumber, upTo last: CommitNumber
    ) -> [(commit: WaitingChanges.Commit, stretches: [OperationStretch])] {
        var found: [(commit: WaitingChanges.Commit, stretches: [OperationStretch])] = []
        for entry in rows.entries(of: row) where entry.commit >= first {
            let commit = commits[Int(entry.commit - first)]
            guard commit.header.number > start, commit.header.number <= last else { continue }
            if found.last?.commit.header.number == commit.header.number {
                found[found.count - 1].stretches.append(entry.stretch)
            } else {
                found.append((commit, [entry.stretch]))
            }
        }
        return found
    }
}
