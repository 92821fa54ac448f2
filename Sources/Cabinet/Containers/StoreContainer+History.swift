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
    /// Commits that the worker of history has not moved out of the log yet are read once by the worker or the first
    /// call, 24 bytes of memory for each of their changes; then a call takes time for the object's own changes
    /// alone. In a program whose classes do not keep history each call reads all commits in the log.
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
        let waiting = hub.knownWorker(WaitingChanges.self)
        return try PastLook.with(backend, label: "history") {
            try $0.events(of: place, waiting)
        }.map(ObjectEvent.init)
    }

    /// What commits have done to `object`, as ``history(of:)-(ObjectID<Object>)`` tells. Pending changes do
    /// not count.
    /// - Throws: ``StoreError/notInStore(class:)`` of an object that was never saved, and as
    ///   ``history(of:)-(ObjectID<Object>)``.
    public func history<Object: StoredObject>(
        of object: Object
    ) throws -> [ObjectEvent<Object>] {
        let store = try store(of: object)
        return try history(
            of: ObjectID(
                store: store.backend.identity, table: store.storedClass(of: object).table,
                rowID: object.rowID))
    }

    /// The store of an object that has a row, be it of a record that was deleted.
    private func store(of object: StoredObject) throws -> Store {
        guard let store = object.storedClass?.context as? Store,
            !object.state.isDisjoint(with: [.saved, .buried])
        else { throw StoreError.notInStore(class: "\(Swift.type(of: object))") }
        guard store.backend.identity == backend.identity else {
            throw StoreError.foreignID(class: "\(Swift.type(of: object))")
        }
        return store
    }

    /// What commits have done to the objects of a class from a date on, subclasses not included, up to the last
    /// commit that there is when the iteration begins.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - date: the commits after the last one, by number, that was made before it; `nil`: all that are
    ///     known. If no commit before it is known any more, an iteration throws `BackendError.changesGone`.
    public func history<Object: StoredObject>(
        of type: Object.Type, since date: Date? = nil
    ) -> ClassHistory<Object> {
        ClassHistory(
            backend: backend, tables: TableNames(of: type, among: classes, in: backend), date: date)
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
        let store = try store(of: object)
        let reader = try PastLook.with(backend, label: "restore") {
            try $0.reader(asOf: .commit(commit))
        }
        try store.restore(object, from: reader)
    }

    /// Gives the object of an ID the content that it had as of a commit, as ``restore(_:from:)`` does: also one
    /// that was deleted in an earlier run, or by another store. It has its row again.
    /// - Returns: the object, of `store`.
    /// - Throws: as ``restore(_:from:)``, and as ``Store/object(_:)-(ObjectID<Object>)``.
    @discardableResult
    public func restore<Object: StoredObject>(
        _ id: ObjectID<Object>, from commit: CommitNumber, in store: Store
    ) throws -> Object {
        try store.checkOpen()
        guard id.store == backend.identity, store.backend.identity == backend.identity else {
            throw StoreError.foreignID(class: "\(Object.self)")
        }
        let storedClass = try store.storedClass(of: id)
        let reader = try PastLook.with(backend, label: "restore") {
            try $0.reader(asOf: .commit(commit))
        }
        return unsafeDowncast(
            try store.restore(id.rowID, of: storedClass, from: reader), to: Object.self)
    }
}
