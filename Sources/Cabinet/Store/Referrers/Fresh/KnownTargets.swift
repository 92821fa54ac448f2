import CabinetBackend

/// What owners, asked for in ascending order, refer to as of the store's basis: by fresh blocks or by
/// keys.
struct KnownTargets {
    typealias ClassRow = WrittenReferences.Target

    private let referrers: ReferrerTable
    private let table: TableNumber
    private let fresh: FreshReferences
    private var saved: SavedTargets?

    /// Of damaged blocks it knows what is before the damage.
    init(_ referrers: ReferrerTable, in table: TableNumber) throws {
        self.referrers = referrers
        self.table = table
        fresh =
            referrers.isDefined
            ? try FreshReferences(in: table, referrers.store.reader, passesOverDamage: true)
            : FreshReferences()
    }

    mutating func next(_ owner: ClassRow) throws -> [ClassRow] {
        if let targets = fresh.targets(of: owner) { return Array(targets) }
        guard referrers.isDefined else { return [] }
        if saved == nil {
            saved = try SavedTargets(
                of: owner, in: table, referrers.store.reader, by: referrers.run)
        }
        return try saved?.next(owner) ?? []
    }
}
