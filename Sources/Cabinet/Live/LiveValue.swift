import Observation

/// A value that follows from objects of a store, kept up to date: a count, a sum, groups.
///
/// ```swift
/// let count = try store.query(Song.self).liveCount()
/// for try await number in count { label.text = "\(number) songs" }
/// ```
///
/// As a sequence it gives the value first, and then each other value that it becomes; a reader that is
/// slower gets the latest. It is iterated in the isolation domain of its store, by any number of
/// readers; an iteration ends when the store is closed or its task is cancelled. Observable: ``value``
/// and ``failure`` can be tracked. Not `Sendable`: its store's.
public final class LiveValue<Value: Equatable>: Observable, AsyncSequence {
    private let source: LiveQuery
    private let read: () -> Value
    private let registrar = ObservationRegistrar()

    init(_ source: LiveQuery, _ read: @escaping () -> Value) {
        (self.source, self.read) = (source, read)
        source.tell = { [weak self] in
            guard let self else { return }
            registrar.withMutation(of: self, keyPath: \.value) {}
        }
    }

    deinit { source.tell = nil }

    /// The value; after a failure, or once the store is closed, what it was before.
    public var value: Value {
        registrar.access(self, keyPath: \.value)
        source.bringUpToDate()
        return read()
    }

    /// Why the value could not be brought up to date; `nil` if it could. The next commit of
    /// one of its classes makes it try again.
    public var failure: (any Error)? {
        registrar.access(self, keyPath: \.value)
        source.bringUpToDate()
        return source.failure
    }

    /// Finds the value again: for one that depends on more than objects, as on the time of day.
    /// - Throws: ``StoreError/closed``, and why it cannot be found. The value is what it was then.
    public func renew() throws { try source.renew() }

    /// A walk over the values.
    public struct Iterator: AsyncIteratorProtocol {
        private let live: LiveValue
        private var walk: LiveWalk
        private var last: Value?

        fileprivate init(_ live: LiveValue) { (self.live, walk) = (live, LiveWalk(live.source)) }

        /// The next value; `nil` once the store is closed or the task is cancelled.
        /// - Throws: why the value cannot be kept up to date. The iteration has ended then.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> Value? {
            last = try await walk.next(isolation: isolation) { [live, last] reader in
                // A value that does not equal itself would be found again and again.
                guard reader.takeNews() else { return nil }
                let value = live.read()
                return value == last ? nil : value
            }
            return last
        }

        /// As ``next(isolation:)``, in the caller's isolation domain.
        public nonisolated(nonsending) mutating func next() async throws -> Value? {
            try await next(isolation: #isolation)
        }
    }

    /// A new walk, which begins with the value as it is.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

/// A value that a closure finds anew after each commit that may change it.
final class ComputedValue<Value: Equatable>: LiveQuery {
    private(set) var value: Value
    private let find: (Store) throws -> Value

    init(
        _ store: Store, watching classes: [StoredClass], interests: [LiveInterest]? = nil,
        includesPending: Bool, _ find: @escaping (Store) throws -> Value
    ) throws {
        self.find = find
        value = try store.withState(includingPending: includesPending, find)
        super.init(
            store, watching: classes, interests: interests, includesPending: includesPending)
        if includesPending { store.liveQueries.lookAtPending() }
    }

    override func take(_ news: LiveNews) throws { try findAgain((news.cause, news.authors)) }

    override func renew() throws {
        try super.renew()
        try findAgain(([.renewal], []))
    }

    private func findAgain(_ reason: LiveReason) throws {
        if includesPending { store.liveQueries.lookAtPending() }
        let found = try store.withState(includingPending: includesPending, find)
        let isNew = found != value || failure != nil
        (value, failure) = (found, nil)
        if isNew { tellReaders { $0.note(reset: reason) } }
    }

    override func findDifference() throws -> String? {
        bringUpToDate()
        if hasEnded || failure != nil { return nil }
        let found = try store.withState(includingPending: includesPending, find)
        return found == value ? nil : "A live value differs: \(value), and not \(found)"
    }
}

extension StoreQuery {
    /// How many ``objects()`` would give, kept up to date as a live list of the query is.
    /// - Throws: what ``objects()`` does.
    public func liveCount(
        includingPending includesPending: Bool = false
    ) throws -> LiveValue<Int> {
        var query = query
        if query.bound == nil { query.sortedBy = [] }
        let rows = try QueriedRows(
            store, query, includesPending: includesPending, showsContent: false)
        return LiveValue(rows) { rows.count }
    }

    /// What `value` finds out of the query, found again after each commit that may have changed one of its
    /// objects: a sum, groups, what the first one has.
    ///
    /// ```swift
    /// let plays = try store.query(Song.self).filter(#Predicate { $0.year > 1960 })
    ///     .liveValue { try $0.sum(\.plays) }
    /// ```
    /// - Parameters:
    ///   - includesPending: whether pending changes count. If not, and there are some, `value` is
    ///     called with a query of another store, which reads what is saved.
    ///   - value: must depend on what the query gives and its objects have themselves, and give no objects.
    /// - Throws: what ``objects()`` and `value` do.
    public func liveValue<Value: Equatable>(
        includingPending includesPending: Bool = false,
        _ value: @escaping (StoreQuery) throws -> Value
    ) throws -> LiveValue<Value> {
        let query = query
        let classes = try store.classesToScan(
            Object.self, includingSubclasses: query.includesSubclasses, where: { $0 is Object.Type }
        )
        let reach = try LiveReach(query, classes, in: store)
        let source = try ComputedValue(
            store, watching: reach.classes, interests: reach.interests(showingContent: true),
            includesPending: includesPending
        ) { try value(StoreQuery(store: $0, query: query)) }
        return LiveValue(source) { source.value }
    }
}

extension LiveResults {
    /// What `value` finds out of objects of some classes, found again after each commit that has
    /// changed objects of these: a sum, groups, the first object's title.
    ///
    /// ```swift
    /// let plays = try store.live.value(following: Song.self) { try $0.query(Song.self).sum(\.plays) }
    /// ```
    /// - Parameters:
    ///   - types: the classes, subclasses not included.
    ///   - includesPending: whether pending changes count. If not, and there are some, `value` is
    ///     called with another store, which reads what is saved.
    ///   - value: must depend on objects of these classes alone, and give no objects.
    /// - Throws: ``StoreError/classNotRegistered(_:)``, what `value` throws.
    public func value<Value: Equatable>(
        following types: StoredObject.Type..., includingPending includesPending: Bool = false,
        _ value: @escaping (Store) throws -> Value
    ) throws -> LiveValue<Value> {
        let source = try ComputedValue(
            store, watching: try types.map { try store.registered($0) },
            includesPending: includesPending, value)
        return LiveValue(source) { source.value }
    }
}
