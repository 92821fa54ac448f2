import CabinetBackend

extension ReferrerTable {
    /// Removes with `batch` all references of one class from the table in `backend`: those to its
    /// objects (`.byTarget`), or those that its objects hold (`.byOwner`). There must be no unmerged blocks:
    /// see ``enterAllUnmerged()``.
    static func removeReferences(
        _ direction: ReferrerKeys.Direction, ofClass number: UInt8, of backend: any Backend,
        in batch: WriteBatch
    ) throws {
        guard let table = try backend.tables().first(where: { $0.name == tableName }) else {
            return
        }
        let run = EntryRun()
        let cursor = try backend.entries(
            in: table.number,
            range: KeyRange(prefix: [direction.rawValue, number]),
            descending: false)
        while try cursor.next(run) {
            while let (key, _) = run.next() {
                guard let entry = ReferrerKeys.Entry(key) else { continue }
                try ReferrerKeys.withBoth(entry.owner, entry.target) {
                    try batch.deleteKey($0, in: table.number)
                }
            }
        }
    }
}
