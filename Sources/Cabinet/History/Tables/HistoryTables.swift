import CabinetBackend

/// The tables of history of a store, as a frozen reader has them: what all commits after ``oldest`` have
/// replaced, up to ``last``. Not `Sendable`.
struct HistoryTables {
    let reader: any BackendReader
    /// The tables, the oldest first.
    let all: [(table: HistoryTable, entries: TableNumber, rows: TableNumber)]
    /// The commit after which they have all.
    let oldest: CommitNumber
    /// The last commit that they have; later ones are in the feed.
    let last: CommitNumber

    /// `nil` if there are none that go on to where the feed begins.
    /// - Parameter lines: those of the store.
    init?(_ reader: any BackendReader, _ lines: [CommitLine]) throws(BackendError) {
        let found = try reader.historyTables()
        guard !found.isEmpty, let kept = try reader.keptChanges(for: HistoryPart.name) else {
            return nil
        }
        let newest = try reader.lastCommit()
        var numbers: [String: TableNumber] = [:]
        for table in try reader.tables() where table.kind == .ordered {
            numbers[table.name] = table.number
        }
        var chain: [(HistoryTable, TableNumber, TableNumber)] = []
        var end = kept.position.commit
        for table in found.reversed() {
            // One of other commits, as in a store that was salvaged, is of no use.
            guard table.last == end, table.position.holds(in: lines, upTo: newest),
                let entries = numbers[table.entriesName],
                let rows = numbers[table.rowsName]
            else { break }
            chain.append((table, entries, rows))
            end = table.after
        }
        if chain.isEmpty { return nil }
        (self.reader, all, oldest) = (reader, chain.reversed(), end)
        last = kept.position.commit
    }

    /// The tables of which commits have said what they have replaced, if they have rows.
    func keptTables() throws(BackendError) -> Set<TableNumber> {
        guard let rows = all.last?.rows else { return [] }
        var kept: Set<TableNumber> = []
        let buffer = DataBuffer()
        for table in try reader.tables() where table.kind == .record {
            let isKept = try HistoryKey.kept(table.number).withUnsafeBytesThrowing {
                key throws(BackendError) in
                try reader.value(forKey: key, in: rows, into: buffer)
            }
            if isKept { kept.insert(table.number) }
        }
        return kept
    }

    // MARK: In the order of the commits

    /// Calls `body` with each entry of the commits after one, in their order; a commit's own comes first, then
    /// tables, rows and names.
    func forEachEntry(
        after number: CommitNumber,
        _ body: (
            CommitNumber, HistoryKey.Content, _ value: UnsafeRawBufferPointer
        ) throws(BackendError) -> Void
    ) throws(BackendError) {
        let walk = walk(after: number)
        while let entry = try walk.next() { try body(entry.commit, entry.content, entry.value) }
    }

    /// A walk over the entries of the commits after one.
    func walk(after number: CommitNumber) -> HistoryWalk { HistoryWalk(reader, all, after: number) }

    /// The commits after one that have replaced something, in their order.
    func commits(after number: CommitNumber) throws(BackendError) -> [MovedCommit] {
        var commits: [MovedCommit] = []
        try forEachEntry(after: number) { commit, content, value in
            if case .commit = content { commits.append(MovedCommit(commit, value)) }
        }
        return commits
    }

    // MARK: Of one row

    /// The commits after one that have changed a row, in their order.
    func commits(
        of place: RowPlace, after number: CommitNumber
    ) throws(BackendError) -> [CommitNumber] {
        var commits: [CommitNumber] = []
        let prefix = HistoryKey.place(place.table, place.row)
        let run = EntryRun(capacity: 4096)
        for (table, _, rows) in all where table.last > number {
            let range = KeyRange(
                from: prefix + HistoryKey.commit(number.next),
                to: prefix + HistoryKey.commit(table.last.next))
            let cursor = try reader.entries(in: rows, range: range, descending: false)
            while try cursor.next(run) {
                while let (key, _) = run.next() {
                    if let commit = HistoryKey.lastCommit(key) { commits.append(commit) }
                }
            }
        }
        return commits
    }

    /// What a commit has left in a row; `nil` if that is not known here.
    func left(in place: RowPlace, by commit: CommitNumber) throws(BackendError) -> LeftRecord? {
        guard let table = holder(of: commit) else { return nil }
        let key = HistoryKey.place(place.table, place.row) + HistoryKey.commit(commit)
        let buffer = DataBuffer()
        return try key.withUnsafeBytesThrowing { key throws(BackendError) in
            try reader.value(forKey: key, in: table.rows, into: buffer)
                ? buffer.withUnsafeBytes { LeftRecord(value: $0) } : nil
        }
    }

    func holder(
        of commit: CommitNumber
    ) -> (table: HistoryTable, entries: TableNumber, rows: TableNumber)? {
        all.first { $0.table.after < commit && commit <= $0.table.last }
    }
}
