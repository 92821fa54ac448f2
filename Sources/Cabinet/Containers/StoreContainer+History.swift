import CabinetBackend
import Foundation

extension StoreContainer {
    /// What commits have done to an object, oldest first, its delete included: when, by whom, with which notes,
    /// and which fields changed from what to what.
    ///
    /// It begins with the oldest commit that is known. If the first event is not
    /// ``ObjectEvent/Kind/inserted(_:)``, what the object was before is not known any more. A commit that does
    /// not say what it has replaced, as of a program that did not keep the class's history
    /// (``StoredObject/keepsHistory``), has ``ObjectEvent/Kind/written(_:)``, or a delete without fields.
    ///
    /// Reads all commits that are known.
    /// - Throws: a ``BackendError``, such as `BackendError.unsupported` of an engine without frozen
    ///   readers or a feed; ``StoreError/foreignID(class:)`` for an ID of another store; a ``StoreError`` for a
    ///   record that cannot be read.
    public func history<Object: StoredObject>(
        of id: ObjectID<Object>
    ) throws -> [ObjectEvent<Object>] {
        guard id.store == backend.identity else {
            throw StoreError.foreignID(class: "\(Object.self)")
        }
        let place = RowPlace(table: id.table, row: id.rowID)
        return try PastLook.with(backend, label: "history") { try $0.events(of: place) }.map(
            ObjectEvent.init)
    }

    /// What commits have done to `object`, as ``history(of:)-(ObjectID<Object>)`` tells. Pending changes do
    /// not count.
    /// - Throws: ``StoreError/notInStore(class:)`` of an object that was never saved, and as
    ///   ``history(of:)-(ObjectID<Object>)``.
    public func history<Object: StoredObject>(
        of object: Object
    ) throws -> [ObjectEvent<Object>] {
        guard let id = object.objectID else { throw StoreError.notInStore(class: "\(Object.self)") }
        return try history(of: id)
    }

    /// What commits have done to the objects of a class from a date on, subclasses not included, up to the last
    /// commit that there is when the iteration begins.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - date: the commits after the last one, by number, that was made before it; `nil`: all that are
    ///     known.
    public func history<Object: StoredObject>(
        of type: Object.Type, since date: Date? = nil
    ) -> ClassHistory<Object> {
        ClassHistory(
            backend: backend, tables: TableNames(of: type, among: classes), date: date)
    }

    /// The limits of history that the store has, and none at first.
    /// - Throws: a ``BackendError``.
    public func historyLimits() throws -> HistoryLimits { try backend.historyLimits() }

    /// Keeps history within limits from now on, in later runs and other programs, too.
    /// - Throws: what a save throws.
    public func limitHistory(to limits: HistoryLimits) throws {
        try backend.setHistoryLimits(limits)
    }

    /// Gives `object` the content that it had as of a commit, which may be older than its delete. An edit like
    /// others, and one step of undo: it is pending until the next save of the object's store, undo takes it
    /// back, and the other sides of relationships follow.
    ///
    /// Relationships to objects that are gone since lose these.
    /// - Throws: ``StoreError/notThen(class:row:commit:)`` if there was no such object then;
    ///   ``StoreError/notInStore(class:)``; ``StoreError/foreignID(class:)`` for an object of another store than
    ///   the container's; as ``read(asOf:fileID:line:_:)-(CommitNumber,_,_,_)``; why the
    ///   record of then cannot be read. Nothing has changed then.
    public func restore(_ object: StoredObject, from commit: CommitNumber) throws {
        guard let store = object.storedClass?.context as? Store else {
            throw StoreError.notInStore(class: "\(Swift.type(of: object))")
        }
        guard store.backend.identity == backend.identity else {
            throw StoreError.foreignID(class: "\(Swift.type(of: object))")
        }
        let reader = try PastLook.with(backend, label: "restore") {
            try $0.reader(asOf: .commit(commit))
        }
        try store.restore(object, from: reader)
    }
}

/// What commits have done to the objects of one class, oldest first: ``StoreContainer/history(of:since:)``.
///
/// Of a commit that does not say what it has replaced, events are ``ObjectEvent/Kind/written(_:)``, or deletes
/// without fields. An iteration throws `BackendError.changesGone` if the engine has given up commits
/// after the date. `Sendable`: a value.
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
        private var isAtEnd = false

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
            while true {
                if let event = events.popFirst() { return ObjectEvent(event) }
                if isAtEnd { return nil }
                var sources = try sources ?? begin()
                defer { self.sources = sources }
                if let found = try sources.moved?.next() {
                    events = found[...]
                    continue
                }
                sources.moved = nil
                if let commit = try sources.reader.next(), commit.number <= sources.last {
                    events = commit.events[...]
                    isAtEnd = commit.number == sources.last
                } else {
                    isAtEnd = true
                }
            }
        }

        private func begin() throws -> Sources {
            let look = try PastLook(over: backend, label: "history")
            let start = try date.map { try look.start(since: $0) } ?? look.oldest
            let moved = try look.tables.flatMap { tables in
                start < tables.last
                    ? try MovedEvents(look, tables, of: self.tables, after: start) : nil
            }
            let first = Swift.max(start, look.tables?.last ?? 0)
            let reader = EventReader(
                backend, of: [tables], after: try backend.position(of: first),
                keepsReaders: false)
            return Sources(moved: moved, reader: reader, last: look.last)
        }
    }

    /// A new walk.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}
