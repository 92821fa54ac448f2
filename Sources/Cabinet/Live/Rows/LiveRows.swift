import CabinetBackend

/// The rows of some objects in an order, kept up to date by a subclass.
class LiveRows<Object: StoredObject>: LiveQuery {
    private(set) final var version = ListVersion()
    private final var countAtEnd = 0
    /// The commit as of which the rows were found, or that has changed them last.
    private(set) final var commit: CommitNumber = 0

    /// How many they are, or were when the store was closed.
    final var count: Int { hasEnded ? countAtEnd : version.count }

    final var list: LiveList<Object> { LiveList(store: store, version: version) }

    /// The list as it is now.
    func find() throws -> ListVersion { ListVersion() }

    /// Whether objects that neither move nor change may come to stand in other sections.
    var mayRegroup: Bool { false }

    /// Where an object stands in the list; `nil` if it does not, or that takes long to tell.
    func index(of number: UInt64) -> Int? { nil }

    /// What leads from the list as of a position to the list as it is; `nil` if that is not known.
    func edits(since position: ChangePosition) throws -> ListEdits? { nil }

    /// Another instance, which finds the rows anew.
    func makeSame() throws -> LiveRows { self }

    /// Whatever the order follows from is found anew with the rows.
    func forgetOrder() throws {}

    final override func renew() throws {
        try super.renew()
        try forgetOrder()
        try refill(NumberSet(), ([.renewal], []))
    }

    final func fill() throws {
        version = ListVersion()
        version = try find()
        commit = store.basis
    }

    /// Finds the rows anew.
    /// - Parameter changed: the objects whose content is another; `nil`: not known.
    final func refill(_ changed: NumberSet?, _ reason: LiveReason) throws {
        let before = version
        let isKnown = failure == nil
        version = try find()
        commit = store.basis
        failure = nil
        guard isKnown, let changed else { return tellReaders { $0.note(reset: reason) } }
        note(from: before, changed, reason)
    }

    final func position() throws -> ChangePosition {
        bringUpToDate()
        if let failure { throw failure }
        try store.checkOpen()
        return try store.backend.position(of: commit)
    }

    /// The rows for a moment, which no version shares them with.
    final func takeRows() -> RowTree {
        defer { version.rows = RowTree() }
        return version.rows
    }

    final func put(_ version: ListVersion) {
        self.version = version
        commit = store.basis
    }

    /// The list may have become another one than `before`: each reader finds out by itself what differs from
    /// what it knows.
    final func note(from before: ListVersion, _ changed: NumberSet, _ reason: LiveReason) {
        let isSame = before.count == version.count && before.numbers == version.numbers
        if isSame, !mayRegroup, !shows(changed) { return }
        tellReaders { $0.note(nil, changed: changed, reason) }
    }

    private func shows(_ changed: NumberSet) -> Bool {
        if changed.isEmpty { return false }
        return version.numbers.contains { changed.contains(ListEdits.object($0)) }
    }

    /// The list has become another one.
    final func note(
        _ changed: NumberSet, _ reason: LiveReason, edits: () -> ListEdits
    ) {
        let edits = hasReaderUpToDate ? edits() : nil
        tellReaders { $0.note(edits, changed: changed, reason) }
    }

    override func end() {
        countAtEnd = version.count
        version = ListVersion()
        super.end()
    }

    override func findDifference() throws -> String? {
        bringUpToDate()
        if hasEnded || failure != nil { return nil }
        let (mine, found) = (list.rowIDs, try makeSame().list.rowIDs)
        return mine == found ? nil : "A live list differs from a fetch: \(mine), and not \(found)"
    }
}

extension StoredClass {
    /// What stands for the object of a row in live lists.
    func liveNumber(of row: RowID) -> UInt64 { UInt64(number) << 32 | UInt64(row.rawValue) }
}
