import CabinetBackend
import Foundation

/// A commit that some store has made. `Sendable`: a value.
public struct StoreCommit: Hashable, Sendable {
    /// The records of one class that the commit has written or removed. `Sendable`: a value.
    public struct Rows: Hashable, Sendable {
        /// The rows of records that are new or have other content, in ascending order.
        public let written: [RowID]
        /// The rows of records that are gone, in ascending order.
        public let deleted: [RowID]
    }

    /// The number of the commit.
    public let number: CommitNumber
    /// When it was made, by that machine's clock.
    public let date: Date
    /// Who made it, as ``Store/author`` was then; `nil`: not said.
    public let author: String?
    /// The notes that ``Store/note(_:)`` has added to it, in that order.
    public let notes: [String]
    /// The steps of undo that were taken back or made again in it, and those with a name that were made.
    public let steps: [CommitStep]
    /// What it has changed, by the storage names of the classes; `nil` if the engine does not know
    /// that any more, or never does. Then ``number`` may stand for several commits.
    public let rows: [String: Rows]?
    /// Where to go on after the commit, also in a later run: see ``StoreContainer/commits(after:)``.
    /// `nil` if the engine has no such positions.
    public let position: ChangePosition?
}

extension StoreCommit {
    init(
        _ commit: CommittedChanges, by author: String?, _ names: [TableNumber: String],
        _ position: ChangePosition?
    ) throws(BackendError) {
        let header = try EventHeader(commit, by: author, position)
        (number, date, self.position) = (header.number, header.date, position)
        (self.author, notes, steps) = (author, header.notes, header.steps)
        var tables: [TableNumber: [RowID: Bool]] = [:]
        try commit.forEachOperation { operation in
            switch operation {
            case .putRow(let table, let row, _): tables[table, default: [:]][row] = true
            case .deleteRow(let table, let row): tables[table, default: [:]][row] = false
            case .putKey, .deleteKey, .define, .drop, .note, .unknown: break
            }
        }
        var rows: [String: Rows] = [:]
        for (table, found) in tables {
            guard let name = names[table] else { continue }
            rows[name] = Rows(
                written: found.filter(\.value).keys.inOrder(),
                deleted: found.filter { !$0.value }.keys.inOrder())
        }
        self.rows = rows
    }
}

/// The commits of all stores of a container, in their order, from the moment on when the iteration
/// begins (``StoreContainer/commits``) or from a position on (``StoreContainer/commits(after:)``).
/// `Sendable`: a value.
///
/// An iteration that is slower than the commits reads them from the engine's feed; those that the
/// feed has given up meanwhile come as one without rows. From a position on none is passed over:
/// the iteration throws ``BackendError/changesGone(oldest:)`` instead. It ends when the backend is
/// closed, or its task is cancelled; it throws a ``BackendError`` if the engine cannot say what
/// was committed.
public struct StoreCommits: AsyncSequence, Sendable {
    let backend: any Backend
    /// `nil`: where the iteration begins.
    var start: ChangePosition?

    /// A walk over commits, each once.
    public struct Iterator: AsyncIteratorProtocol {
        private let backend: any Backend
        private let subscriptions: [Subscription]
        private var wakes: AsyncStream<Void>.Iterator
        /// The last commit that was given; `nil` as long as the engine could not say where to begin.
        private var last: CommitNumber?
        /// Behind the last commit that was given; `nil` if commits may be passed over.
        private var position: ChangePosition?
        private var failure: BackendError?
        private var cursor: (any ChangeCursor)?
        private var names: [TableNumber: String] = [:]
        private var authors: [UInt32: String] = [:]

        fileprivate init(_ backend: any Backend, _ start: ChangePosition?) {
            self.backend = backend
            position = start
            // One signal stands for all commits since the last look.
            let (stream, continuation) = AsyncStream.makeStream(
                of: Void.self, bufferingPolicy: .bufferingNewest(1))
            subscriptions = [
                backend.onCommit { _ in continuation.yield() },
                CommitHub.of(backend).onClose { continuation.finish() },
            ]
            wakes = stream.makeAsyncIterator()
            do throws(BackendError) { last = try backend.lastCommit() } catch { failure = error }
        }

        /// The next commit; `nil` once the backend is closed or the task is cancelled.
        /// - Throws: a ``BackendError``, why what was committed cannot be read. Another call tries
        ///   again, and goes on behind the last commit that was given.
        public mutating func next() async throws -> StoreCommit? {
            while true {
                do throws(BackendError) {
                    if let commit = try look() { return commit }
                } catch {
                    cursor = nil
                    if case .closed = error { return nil }
                    throw error
                }
                guard await wakes.next() != nil else { return nil }
            }
        }

        private mutating func look() throws(BackendError) -> StoreCommit? {
            if let failure {
                self.failure = nil
                throw failure
            }
            if let position { return try look(behind: position) }
            let newest = try backend.lastCommit()
            guard let last else {
                last = newest
                return nil
            }
            guard newest > last else { return nil }
            guard backend.features.contains(.changes) else { return try passOver(to: newest) }
            do throws(BackendError) {
                if cursor == nil { cursor = try backend.changes(after: last) }
                guard let commit = try cursor?.next() else { return nil }
                let given = try storeCommit(commit)
                self.last = commit.number
                return given
            } catch {
                guard case .changesGone = error else { throw error }
                cursor = nil
                return try passOver(to: newest)
            }
        }

        private mutating func look(
            behind position: ChangePosition
        ) throws(BackendError) -> StoreCommit? {
            guard backend.features.contains(.lines) else {
                throw .unsupported("the lines of commits")
            }
            if cursor == nil { cursor = try backend.changes(behind: position) }
            guard let next = try cursor?.next() else { return nil }
            let commit = try storeCommit(next)
            self.position = commit.position
            return commit
        }

        private mutating func author(_ number: UInt32) throws(BackendError) -> String? {
            if let known = authors[number] { return known }
            authors[number] = try backend.author(number)
            return authors[number]
        }

        private mutating func passOver(
            to newest: CommitNumber
        ) throws(BackendError) -> StoreCommit {
            let position = try position(of: newest)
            last = newest
            return StoreCommit(
                number: newest, date: Date(), author: nil, notes: [], steps: [], rows: nil,
                position: position)
        }

        private mutating func storeCommit(
            _ commit: CommittedChanges
        ) throws(BackendError) -> StoreCommit {
            for table in try backend.tables() where table.kind == .record {
                names[table.number] = table.name
            }
            return try StoreCommit(
                commit, by: try author(commit.author), names, try position(of: commit.number))
        }

        private func position(of number: CommitNumber) throws(BackendError) -> ChangePosition? {
            guard backend.features.contains(.lines) else { return nil }
            return try backend.position(of: number)
        }
    }

    /// A new walk, from the last commit on, or from the position on that was given.
    public func makeAsyncIterator() -> Iterator { Iterator(backend, start) }
}

extension StoreContainer {
    /// The commits of all stores of the container, each from the moment on when it is iterated.
    public var commits: StoreCommits { StoreCommits(backend: backend) }

    /// The commits of all stores of the container after one whose position was kept, perhaps in an
    /// earlier run: ``StoreCommit/position`` of the last one that was taken, or ``position()``.
    ///
    /// An iteration throws ``BackendError/changesGone(oldest:)`` if the engine does not have all of
    /// them any more, or if the position is not one of this store: that of another one, of a copy
    /// that has gone on by itself, or of a commit that a power cut has taken back. Read everything
    /// anew then, and go on from ``position()``, taken before. ``ChangePosition/start`` stands for
    /// everything. Needs ``BackendFeatures/changes`` and ``BackendFeatures/lines``.
    public func commits(after position: ChangePosition) -> StoreCommits {
        StoreCommits(backend: backend, start: position)
    }

    /// The position of the last commit, which may be kept for later runs.
    /// - Throws: ``BackendError``, such as ``BackendError/unsupported(_:)``.
    public func position() throws -> ChangePosition {
        try backend.refreshBesideOthers()
        return try backend.position()
    }

    /// Keeps the commits after a position for a reader of ``commits(after:)``, under the reader's name, until
    /// it gives another position or they have more than `limit` bytes. Needs
    /// ``BackendFeatures/keptChanges``.
    /// - Parameters:
    ///   - position: ``StoreCommit/position`` of the last commit that the reader needs no more.
    ///   - name: at most ``KeptChanges/longestName`` bytes. Not one that Cabinet itself reads under: `history`, one
    ///     that begins with `trigger/`, the name of an index's table.
    ///   - limit: in bytes; the commits are gone for the reader, which ``commits(after:)`` says, once an
    ///     engine has given them up beyond it.
    /// - Throws: ``BackendError/changesGone(oldest:)`` if some of them are gone already;
    ///   ``StoreError/reservedName(_:)``, ``BackendError/tooLarge(limit:)`` for the name; what a save throws. Then the
    ///   name keeps nothing, or what it kept before.
    public func keepCommits(
        after position: ChangePosition, for name: String, limit: UInt64
    ) throws {
        try backend.refreshBesideOthers()
        let isTable = try backend.tables().contains { $0.kind != .record && $0.name == name }
        if isTable || name == HistoryPart.name || name.hasPrefix(AfterTrigger.keyPrefix) {
            throw StoreError.reservedName(name)
        }
        try backend.keepChanges(after: position, for: name, limit: limit)
    }

    /// Keeps nothing under a name any more. Under that of a trigger: it begins with the next commit if it is declared
    /// again. Under that of a table, an index that a program has left behind: it builds it anew.
    /// - Throws: ``StoreError/reservedName(_:)`` for `history`, which would lose all it has; what a save throws.
    public func letGoOfCommits(for name: String) throws {
        if name == HistoryPart.name { throw StoreError.reservedName(name) }
        try backend.refreshBesideOthers()
        try backend.letGoOfChanges(for: name)
    }

    /// What is kept under names, in their order; also what Cabinet itself reads: `history`, for triggers with
    /// `trigger/` in front, and for indexes that other programs have left behind under the names of their tables.
    /// - Throws: ``BackendError``.
    public func keptCommits() throws -> [KeptChanges] {
        try backend.refreshBesideOthers()
        return try backend.keptChanges()
    }
}
