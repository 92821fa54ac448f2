import CabinetBackend
import CabinetTextSearch
import Observation

/// The objects that a query gives, kept up to date: after each save, of this store or of another one that
/// it has taken up, it is what ``Store/fetch(_:)`` would give.
///
/// ```swift
/// let live = try store.query(Song.self).sorted(by: \.title).live()
/// for try await change in live.changes { table.apply(change, change.objects) }
/// ```
///
/// The list is as of the store's ``Store/basis``. What is pending does not count unless it was asked
/// for (`includingPending`): then it is what a fetch gives at any moment, and is brought up to date when
/// it is looked at.
///
/// A commit costs what it has changed, whatever the length of the list, if the condition and the order
/// ask declared fields of the objects themselves, or compare those of a target whose relationship has
/// an inverse; a commit of other classes costs nothing. Where they look further (other paths, a closure
/// or a property of the program's in a class with relationships, a relationship whose target may be
/// gone, a descriptor with a comparator), the query is run again after each commit that may change its
/// result. A condition must not depend on anything but the object and what it leads to.
///
/// Observable: whatever of it is tracked, observers are called once when the list has become another one or
/// has failed; meanwhile ``Store/save()`` may throw ``StoreError/stepUnderWay``. It follows the store as long as
/// something holds it. Not `Sendable`: it belongs to the isolation domain of its store.
public final class LiveObjects<Object: StoredObject>: Observable {
    let rows: LiveRows<Object>
    private let registrar = ObservationRegistrar()

    init(_ rows: LiveRows<Object>) {
        self.rows = rows
        // For all properties: one that is tracked anew when another has changed would be told again.
        rows.tell = { [weak self] in
            guard let self else { return }
            registrar.withMutation(of: self, keyPath: \.objects) {}
        }
    }

    deinit { rows.tell = nil }

    /// The objects, in the order of the query. Empty once the store is closed; after a failure, what
    /// they were before.
    public var objects: LiveList<Object> {
        registrar.access(self, keyPath: \.objects)
        rows.bringUpToDate()
        return rows.list
    }

    /// The commit that has changed the list last, or as of which it was fetched.
    public var commit: CommitNumber {
        registrar.access(self, keyPath: \.objects)
        rows.bringUpToDate()
        return rows.commit
    }

    /// Why the list could not be brought up to date; `nil` if it could. The next commit of
    /// one of its classes makes it try again. If ``Store/refreshesAutomatically`` could not catch up: why.
    public var failure: (any Error)? {
        registrar.access(self, keyPath: \.objects)
        rows.bringUpToDate()
        return rows.failure
    }

    /// Runs the query again: for a condition that depends on more than objects, as on the time of day, and
    /// for the order of a search, ``StoreQuery/liveSearch(_:includingPending:)``. Readers get what differs
    /// as a change.
    /// - Throws: what ``StoreQuery/objects()`` does. The list is what it was then.
    public func renew() throws { try rows.renew() }

    /// The changes of the list, for any number of readers.
    public var changes: LiveChanges<Object> { LiveChanges(rows: rows) }

    /// The position of ``commit``, for ``resume(after:)``, also in a later run.
    /// - Throws: ``failure``, ``StoreError/closed``, ``BackendError/unsupported(_:)`` of an engine without
    ///   ``BackendFeatures/lines``.
    public func position() throws -> ChangePosition { try rows.position() }

    /// The changes for a reader that knows the list as of a position, perhaps from an earlier run: the first
    /// one leads from that to the list as it is, and may be empty.
    ///
    /// ```swift
    /// for try await change in try byArtist.live().resume(after: shown) {
    ///     table.apply(change, change.objects)
    ///     shown = try change.position()
    /// }
    /// ```
    /// Only a list of an arrangement without pending changes (``ArrangedObjects/live(in:includingPending:)``)
    /// keeps what that needs, and only while the engine has the commits after the position
    /// (``StoreContainer/keepCommits(after:for:limit:)``). Otherwise the first change is a reset, as that
    /// of ``changes`` is: see ``ArrangedObjects/changes(since:)``.
    /// - Parameter position: of ``position()``, or of ``LiveChange/position()``.
    public func resume(after position: ChangePosition) -> LiveChanges<Object> {
        LiveChanges(rows: rows, start: position)
    }
}

extension StoreQuery {
    /// The objects, kept up to date; with a limit, the list keeps some more rows than it shows.
    /// - Parameter includesPending: whether pending changes count.
    /// - Throws: what ``objects()`` does.
    public func live(includingPending includesPending: Bool = false) throws -> LiveObjects<Object> {
        LiveObjects(try QueriedRows(store, query, includesPending: includesPending))
    }

    /// The first one of ``objects()``, kept up to date, as a list of it: empty while there is none. A change
    /// is that another object has become the first one, or that it has another content.
    ///
    /// ```swift
    /// let latest = try store.query(Song.self).sorted(by: .descending(\.added)).liveFirst()
    /// label.text = latest.objects.first?.title
    /// ```
    /// - Throws: what ``objects()`` does.
    public func liveFirst(
        includingPending includesPending: Bool = false
    ) throws -> LiveObjects<Object> {
        try limit(Swift.min(query.limit ?? 1, 1)).live(includingPending: includesPending)
    }

    /// The objects whose texts match a search besides, kept up to date: in the order of the query or, without
    /// one, best first.
    ///
    /// ```swift
    /// let found = try store.query(Song.self).liveSearch(SearchQuery("blue train"))
    /// ```
    /// After each commit of the class, which objects match is found again. What is most relevant is not, as
    /// every text that is saved changes the score of each hit: what comes to match stands behind the others
    /// until ``LiveObjects/renew()``. As for ``search(_:in:inIndex:orderedBy:weights:)-(SearchQuery,_,_,_,_)``,
    /// all text indexes of the class are searched, and without its subclasses.
    /// - Throws: what ``search(_:in:inIndex:orderedBy:weights:)-(SearchQuery,_,_,_,_)`` does.
    public func liveSearch(
        _ search: SearchQuery, includingPending includesPending: Bool = false
    ) throws -> LiveObjects<Object> {
        var query = query
        query.includesSubclasses = false
        if !query.sortedBy.isEmpty {
            return LiveObjects(
                try QueriedRows(store, query.matching(search), includesPending: includesPending))
        }
        return LiveObjects(try SearchedRows(store, query, search, includesPending: includesPending))
    }
}

extension LiveResults {
    /// The objects of a relationship to many, in its order, kept up to date: none once `owner` is
    /// deleted. After a commit that has changed objects of either class the whole relationship is
    /// compared.
    ///
    /// ```swift
    /// let songs = try store.live.objects(\Playlist.songs, of: playlist)
    /// ```
    /// - Throws: ``StoreError/noRelationship(class:)`` for another property of a class with declared fields;
    ///   ``StoreError/notInStore(class:)``, ``StoreError/wrongStore(class:)``, why the owner cannot be read.
    public func objects<Owner: StoredObject, Object: StoredObject>(
        _ relation: KeyPath<Owner, [Object]>, of owner: Owner,
        includingPending includesPending: Bool = false
    ) throws -> LiveObjects<Object> {
        // A computed property may follow from any objects.
        if let storedClass = owner.storedClass, storedClass.context === store,
            storedClass.isDeclared,
            store.fields(of: storedClass).declaredName(of: relation) == nil
        {
            throw StoreError.noRelationship(class: storedClass.name)
        }
        return LiveObjects(
            try RelatedRows(store, owner, includesPending: includesPending) {
                unsafeDowncast($0, to: Owner.self)[keyPath: relation]
            })
    }

    /// One object as a list of it, which is empty once the object is deleted: its changes are
    /// ``LiveChange/updates`` of that.
    /// - Throws: ``StoreError/notInStore(class:)``, ``StoreError/wrongStore(class:)``, why the object
    ///   cannot be read.
    public func object<Object: StoredObject>(
        _ object: Object, includingPending includesPending: Bool = false
    ) throws -> LiveObjects<Object> {
        // It may be of a subclass.
        LiveObjects(
            try RelatedRows(store, object, includesPending: includesPending) {
                [unsafeDowncast($0, to: Object.self)]
            })
    }
}
