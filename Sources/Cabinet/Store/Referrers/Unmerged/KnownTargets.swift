import CabinetBackend

/// What owners, asked for in ascending order, refer to as of the store's basis: by unmerged blocks or by
/// keys.
struct KnownTargets {
    typealias ClassRow = WrittenReferences.Target

    private let referrers: ReferrerTable
    private let table: TableNumber
    private let unmerged: UnmergedReferences
    private var saved: SavedTargets?

    /// Of damaged blocks it knows what is before the damage.
    init(_ referrers: ReferrerTable, in table: TableNumber) throws {
        self.referrers = referrers
        self.table = table
        unmerged =
            referrers.isDefined
            ? try UnmergedReferences(in: table, referrers.store.reader, passesOverDamage: true)
            : UnmergedReferences()
    }

    mutating func next(_ owner: ClassRow) throws -> [ClassRow] {
        if let targets = unmerged.targets(of: owner) { return Array(targets) }
        guard referrers.isDefined else { return [] }
        if saved == nil {
            saved = try SavedTargets(
                of: owner, in: table, referrers.store.reader, by: referrers.run)
        }
        return try saved?.next(owner) ?? []
    }
}
