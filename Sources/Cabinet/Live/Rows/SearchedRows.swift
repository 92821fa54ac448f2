import CabinetBackend
import CabinetTextSearch

/// The rows of the objects that a search finds: by relevance as of the last renewal, and behind them those
/// that have come to match since.
final class SearchedRows<Object: StoredObject>: LiveRows<Object> {
    private let query: ObjectQuery<Object>
    private let search: SearchQuery
    private let storedClass: StoredClass
    /// The place of each object by relevance.
    private var places: NumberTable?

    /// - Parameter places: those by relevance; `nil`: they are to be found.
    init(
        _ store: Store, _ query: ObjectQuery<Object>, _ search: SearchQuery, includesPending: Bool,
        places: NumberTable? = nil
    ) throws {
        (self.query, self.search, self.places) = (query, search, places)
        storedClass = try store.classToRead(Object.self)
        let reach = try LiveReach(query, [storedClass], in: store)
        super.init(store, watching: reach.classes, includesPending: includesPending)
        try fill()
    }

    override func makeSame() throws -> LiveRows<Object> {
        try SearchedRows(store, query, search, includesPending: includesPending, places: places)
    }

    override func forgetOrder() throws { places = nil }

    override func find() throws -> ListVersion {
        if includesPending { store.liveQueries.lookAtPending() }
        var wanted = query.matching(search)
        (wanted.limit, wanted.offset, wanted.prefetching) = (nil, 0, [])
        let (rows, order) = try store.withState(includingPending: includesPending) { source in
            (
                try source.query(wanted).rowIDs(),
                places == nil ? try source.rowsByRelevance(of: Object.self, search) : nil
            )
        }
        if let order {
            var found = NumberTable(capacity: order.count)
            for (place, row) in order.enumerated() {
                found[storedClass.liveNumber(of: row)] = place
            }
            places = found
        }
        let numbers = rows.map { storedClass.liveNumber(of: $0) }
            .map { (place: places?[$0] ?? .max, number: $0) }
            .sorted { ($0.place, $0.number) < ($1.place, $1.number) }.map(\.number)
        return ListVersion(rows: RowTree(numbers), window: query.window(of: numbers.count))
    }

    override func take(_ news: LiveNews) throws {
        if includesPending { store.liveQueries.lookAtPending() }
        var changed = Array(pending)
        pending = []
        news.forEachChange(storedClass) { changed.append(storedClass.liveNumber(of: $0.row)) }
        try refill(news.isUnknown ? nil : NumberSet(changed), (news.cause, news.authors))
    }

    private var pending: Set<UInt64> = []

    override func note(pending changed: [UInt64: Bool]) {
        pending.formUnion(changed.filter(\.value).keys)
    }
}
