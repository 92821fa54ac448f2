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
    /// What the store was told of it by ``Store/note(_:)``, in that order.
    public let notes: [String]
    /// What it has changed, by the storage names of the classes; `nil` if the engine does not know
    /// that any more, or never does. Then ``number`` may stand for several commits.
    public let rows: [String: Rows]?
}

extension StoreCommit {
    init(_ commit: CommittedChanges, by author: String?, _ names: [TableNumber: String]) {
        number = commit.number
        date = Date(timeIntervalSince1970: Double(commit.time) / 1_000_000)
        self.author = author
        notes = commit.notes.compactMap { note in
            guard note.tag == Attribution.noteTag else { return nil }
            return String(validating: note.bytes, as: UTF8.self)
        }
        var tables: [TableNumber: [RowID: Bool]] = [:]
        commit.forEachOperation { operation in
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
                written: found.filter(\.value).keys.sorted(),
                deleted: found.filter { !$0.value }.keys.sorted())
        }
        self.rows = rows
    }
}

/// The commits of all stores of a container from the moment on when the iteration begins, in their
/// order: ``StoreContainer/commits``. `Sendable`: a value.
///
/// An iteration that is slower than the commits reads them from the engine's feed; those that the
/// feed has given up meanwhile come as one without rows. The iteration ends when the backend is
/// closed, or its task is cancelled; it throws a ``BackendError`` if the engine cannot say what
/// was committed.
public struct StoreCommits: AsyncSequence, Sendable {
    let backend: any Backend

    /// A walk over commits, each once.
    public struct Iterator: AsyncIteratorProtocol {
        private let backend: any Backend
        private let subscriptions: [Subscription]
        private var wakes: AsyncStream<Void>.Iterator
        /// The last commit that was given; `nil` as long as the engine could not say where to begin.
        private var last: CommitNumber?
        private var failure: BackendError?
        private var cursor: (any ChangeCursor)?
        private var names: [TableNumber: String] = [:]
        private var authors: [UInt32: String] = [:]

        fileprivate init(_ backend: any Backend) {
            self.backend = backend
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
            let newest = try backend.lastCommit()
            guard let last else {
                last = newest
                return nil
            }
            guard newest > last else { return nil }
            guard backend.features.contains(.changes) else { return passOver(to: newest) }
            do throws(BackendError) {
                if cursor == nil { cursor = try backend.changes(after: last) }
                guard let commit = try cursor?.next() else { return nil }
                let author = try author(commit.author)
                try learnNames()
                self.last = commit.number
                return StoreCommit(commit, by: author, names)
            } catch {
                guard case .changesGone = error else { throw error }
                cursor = nil
                return passOver(to: newest)
            }
        }

        private mutating func passOver(to newest: CommitNumber) -> StoreCommit {
            last = newest
            return StoreCommit(number: newest, date: Date(), author: nil, notes: [], rows: nil)
        }

        private mutating func author(_ number: UInt32) throws(BackendError) -> String? {
            if let known = authors[number] { return known }
            authors[number] = try backend.author(number)
            return authors[number]
        }

        private mutating func learnNames() throws(BackendError) {
            for table in try backend.tables() where table.kind == .record {
                names[table.number] = table.name
            }
        }
    }

    /// A new walk, from the last commit on.
    public func makeAsyncIterator() -> Iterator { Iterator(backend) }
}

extension StoreContainer {
    /// The commits of all stores of the container, each from the moment on when it is iterated.
    public var commits: StoreCommits { StoreCommits(backend: backend) }
}
