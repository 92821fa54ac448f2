import CabinetBackend

extension ReferrerTable {
    /// Removes with `batch` all references of one class from the table in `backend`: those to its
    /// objects (`.byTarget`), or those that its objects hold (`.byOwner`).
    static func removeReferences(
        _ direction: ReferrerKeys.Direction, ofClass number: UInt8, of backend: any Backend,
        in batch: WriteBatch
    ) throws {
        guard let table = try backend.tables().first(where: { $0.name == tableName }) else {
            return
        }
        try removeFresh(direction, ofClass: number, table.number, of: backend, in: batch)
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

    /// Writes the fresh blocks without these references. An owner that no longer refers to anything stays:
    /// keys may say that it does.
    private static func removeFresh(
        _ direction: ReferrerKeys.Direction, ofClass number: UInt8, _ table: TableNumber,
        of backend: any Backend, in batch: WriteBatch
    ) throws {
        let buffer = DataBuffer()
        try FreshBlock.forEach(in: table, backend) { key, value in
            buffer.removeAll()
            try FreshBlock.forEachOwner(in: value) { owner, targets in
                let left = targets.filter {
                    (direction == .byTarget ? $0 : owner).classNumber != number
                }
                FreshBlock.append(owner, left[...], to: buffer)
            }
            if let error = buffer.writeError { throw error }
            try buffer.withUnsafeBytes { try batch.put($0, for: key, in: table) }
            return true
        }
    }
}
