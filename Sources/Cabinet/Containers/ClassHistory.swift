import CabinetBackend
import Foundation

/// What commits have done to the objects of one class, oldest first: ``StoreContainer/history(of:since:)``.
///
/// Of a commit that does not say what it has replaced, events are ``ObjectEvent/Kind/written(_:)``, or deletes
/// without fields. An iteration throws `BackendError.changesGone` if commits after the date are not known any
/// more: also if they were purged, or went beyond the limits of history, while it goes on. `Sendable`: a value.
public struct ClassHistory<Object: StoredObject>: AsyncSequence, Sendable {
    let backend: any Backend
    let tables: TableNames
    let date: Date?

    /// A walk over events, each once, in the order of the commits.
    public struct Iterator: AsyncIteratorProtocol {
        private let backend: any Backend
        private let tables: TableNames
        private let date: Date?
        private var sources: Sources?
        private var events: ArraySlice<ObjectEvent<StoredObject>> = []
        /// The last commit whose events were taken, and the last one of the first look.
        private var range: (passed: CommitNumber, end: CommitNumber)?
        private var isAtEnd = false

        /// How often a walk begins anew without an event in between, as commits were moved into tables.
        private static var attempts: Int { 8 }

        /// Where events come from, up to the last commit of the look.
        private struct Sources {
            /// What the feed has not any more; `nil` once that was given.
            var moved: MovedEvents?
            let reader: EventReader
            let last: CommitNumber
        }

        fileprivate init(_ history: ClassHistory) {
            (backend, tables, date) = (history.backend, history.tables, history.date)
        }

        /// The next event; `nil` behind the last one.
        /// - Throws: a ``BackendError``; a ``StoreError`` for a record that cannot be read.
        public mutating func next() async throws -> ObjectEvent<Object>? {
            var attempts = 0
            while true {
                if let event = events.popFirst() { return ObjectEvent(event) }
                if isAtEnd { return nil }
                do { try takeNextCommit() } catch BackendError.changesGone(let oldest) {
                    // What was to be read from the feed was moved into tables meanwhile.
                    attempts += 1
                    guard attempts < Self.attempts else {
                        throw BackendError.changesGone(oldest: oldest)
                    }
                    sources = nil
                }
            }
        }

        /// Takes the events of a commit, which may have none.
        private mutating func takeNextCommit() throws {
            var sources = try sources ?? begin()
            if let found = try sources.moved?.next() {
                take(found, of: found.first?.commit)
            } else {
                sources.moved = nil
                let commit = try sources.reader.next()
                if let commit, commit.number <= sources.last {
                    take(commit.events, of: commit.number)
                    isAtEnd = commit.number == sources.last
                } else {
                    isAtEnd = true
                }
            }
            self.sources = sources
        }

        private mutating func take(
            _ found: [ObjectEvent<StoredObject>], of commit: CommitNumber?
        ) {
            events = found[...]
            if let commit { range?.passed = commit }
        }

        private func first(in look: PastLook) throws -> CommitNumber? {
            guard let date else { return look.oldest }
            return try look.start(since: date)
        }

        private mutating func begin() throws -> Sources {
            let look = try PastLook(over: backend, label: "history")
            let first = try range?.passed ?? first(in: look)
            // Purged, or beyond the limits of history.
            guard let start = first, start >= look.oldest else {
                throw BackendError.changesGone(oldest: look.oldest)
            }
            let end = range?.end ?? look.last
            range = (start, end)
            let moved = try look.tables.flatMap { tables in
                start < tables.last
                    ? try MovedEvents(look, tables, of: self.tables, after: start, upTo: end) : nil
            }
            let next = Swift.max(start, look.tables?.last ?? 0)
            let reader = EventReader(
                backend, of: [tables], after: try backend.position(of: next),
                keepsReaders: false, remembersRecords: false)
            return Sources(moved: moved, reader: reader, last: end)
        }
    }

    /// A new walk.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}
