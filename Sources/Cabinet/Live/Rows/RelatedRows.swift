import CabinetBackend

/// The rows of the objects in a relationship to many of one object, in its order.
final class RelatedRows<Object: StoredObject>: LiveRows<Object> {
    private let owner: StoredClass
    private let row: RowID
    private let targets: (StoredObject) -> [Object]

    init(
        _ store: Store, _ owner: StoredObject, includesPending: Bool,
        targets: @escaping (StoredObject) -> [Object]
    ) throws {
        try store.checkOpen()
        guard let storedClass = owner.storedClass else {
            throw StoreError.notInStore(class: "\(type(of: owner))")
        }
        guard storedClass.context === store else {
            throw StoreError.wrongStore(class: storedClass.name)
        }
        (self.owner, row, self.targets) = (storedClass, owner.rowID, targets)
        let watched = store.classes.filter { $0 === storedClass || $0.type is Object.Type }
        super.init(store, watching: watched, includesPending: includesPending)
        try fill()
    }

    override func makeSame() throws -> LiveRows<Object> {
        try RelatedRows(
            store, owner.object(at: row), includesPending: includesPending, targets: targets)
    }

    override func find() throws -> ListVersion {
        if includesPending { store.liveQueries.lookAtPending() }
        // One object may stand there repeatedly.
        var times: [UInt64: UInt64] = [:]
        let numbers = try store.withState(includingPending: includesPending) { source in
            guard let owner = try source.object(of: try source.registered(owner.type), row) else {
                return [UInt64]()
            }
            return targets(owner).compactMap { target in
                guard let number = target.storedClass?.liveNumber(of: target.rowID) else {
                    return nil
                }
                defer { times[number, default: 0] += 1 }
                return times[number, default: 0] << 40 | number
            }
        }
        return ListVersion(rows: RowTree(numbers), window: 0..<numbers.count)
    }

    override func take(_ news: LiveNews) throws {
        if includesPending { store.liveQueries.lookAtPending() }
        var changed = Array(pending)
        pending = []
        for storedClass in watched where storedClass.type is Object.Type {
            news.forEachChange(storedClass) {
                changed.append(storedClass.liveNumber(of: $0.row))
            }
        }
        try refill(news.isUnknown ? nil : NumberSet(changed), (news.cause, news.authors))
    }

    private var pending: Set<UInt64> = []

    override func note(pending changed: [UInt64: Bool]) {
        pending.formUnion(changed.filter(\.value).keys)
    }
}
