/// The rows of a table as they were at a commit that a reader holds, as far as they are not what
/// they are now. Good for as long as the engine's lock is held.
package struct PastRows {
    private let noted: NotedRows?
    private let commit: CommitNumber
    /// Higher rows were not there.
    package let highest: RowID

    init(_ noted: NotedRows?, _ commit: CommitNumber, highest: RowID) {
        self.noted = noted
        self.commit = commit
        self.highest = highest
    }

    /// What a row was.
    @inline(__always)
    package func version(of row: RowID) -> Version {
        guard row <= highest else { return .absent }
        return noted?.value(of: row).map { Versions($0).version(at: commit) } ?? .current
    }

    /// The first row from `start` on that had another value than now; `nil`: there is none.
    package func firstReplaced(from start: Int) -> (row: RowID, version: Version)? {
        var next = start
        while let (row, bytes) = noted?.first(from: next), row <= highest {
            let version = Versions(bytes).version(at: commit)
            switch version {
            case .value, .spilled: return (row, version)
            case .current, .absent: next = row.index + 1
            }
        }
        return nil
    }
}

extension VersionWindow {
    /// The rows of a table at a commit that a reader holds; `nil`: they are what they are now.
    package func pastRows(of number: TableNumber, at commit: CommitNumber) -> PastRows? {
        guard let table = found(number) else { return nil }
        let highest = table.highestRows.value(at: commit)
        let hasChanged = table.lastRowChange > commit && table.rows?.count ?? 0 > 0
        guard hasChanged || highest != nil else { return nil }
        return PastRows(table.rows, commit, highest: highest ?? .max)
    }

    /// The keys of a table of which something is noted.
    package func notedKeys(of number: TableNumber) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var walk = EntryWalk(keys(of: number), from: nil)
        while let (key, _) = walk.entry {
            found.append([UInt8](key))
            walk.advance()
        }
        return found
    }
}
