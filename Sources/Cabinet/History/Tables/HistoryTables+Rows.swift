import CabinetBackend

/// Many rows at a time, as each look takes a way where the store is on another machine.
extension HistoryTables {
    /// What stood in rows after a commit, as far as a later one of the tables has changed them: what the next
    /// change of each has replaced.
    /// - Parameter rows: ascending.
    func contents(
        of rows: [RowID], in table: TableNumber, after number: CommitNumber
    ) throws(BackendError) -> [RowID: FormerRecord] {
        var found: [RowID: FormerRecord] = [:]
        let run = EntryRun()
        for holder in all where holder.table.last > number {
            let open = rows.filter { found[$0] == nil }
            let keys = try nextChanges(
                of: open[...], in: table, after: number, upTo: holder.table.last, holder.rows, run
            ).map { row, commit in
                found[row] = .unknown
                return HistoryKey.commit(commit) + HistoryKey.place(table, row)
            }.sorted { $0.lexicographicallyPrecedes($1) }
            try forEachEntry(under: keys, in: holder.entries, run) { _, content, value in
                guard case .row(_, let row) = content else { return }
                found[row] = HistoryValue.change(value).former
            }
        }
        return found
    }

    /// The changes of a row by the commits after one, in their order; `new` is `nil` where the next change of the
    /// row says it.
    func changes(
        of place: RowPlace, after number: CommitNumber
    ) throws(BackendError) -> [(commit: MovedCommit, former: FormerRecord, new: FormerRecord?)] {
        let run = EntryRun()
        let numbers = try commits(of: place, after: number)
        var commits: [CommitNumber: MovedCommit] = [:]
        var changes: [CommitNumber: (former: FormerRecord, new: FormerRecord?)] = [:]
        for (table, entries, _) in all {
            let keys = numbers.filter { table.after < $0 && $0 <= table.last }
                .map(HistoryKey.commit)
                .flatMap { [$0, $0 + HistoryKey.place(place.table, place.row)] }
            try forEachEntry(under: keys, in: entries, run) { number, content, value in
                if case .commit = content { commits[number] = MovedCommit(number, value) }
                if case .row = content { changes[number] = HistoryValue.change(value) }
            }
        }
        return numbers.compactMap { number in
            let change = changes[number] ?? (.unknown, nil)
            return commits[number].map { ($0, change.former, change.new) }
        }
    }

    private func forEachEntry(
        under keys: [[UInt8]], in entries: TableNumber, _ run: EntryRun,
        _ body: (CommitNumber, HistoryKey.Content, _ value: UnsafeRawBufferPointer) -> Void
    ) throws(BackendError) {
        var left = keys[...]
        while !left.isEmpty {
            let looked = try reader.values(forKeys: left, in: entries, into: run)
            while let (key, value) = run.next() {
                if let (commit, content) = HistoryKey.read(key) { body(commit, content, value) }
            }
            left = left.dropFirst(looked)
        }
    }

    /// The first commit after one, up to another, that has changed each row, if one has.
    /// - Parameter entries: the table of entries by row.
    private func nextChanges(
        of rows: ArraySlice<RowID>, in table: TableNumber, after number: CommitNumber,
        upTo last: CommitNumber, _ entries: TableNumber, _ run: EntryRun
    ) throws(BackendError) -> [(RowID, CommitNumber)] {
        guard let lowest = rows.first, let highest = rows.last else { return [] }
        let cursor = try reader.entries(
            in: entries,
            range: KeyRange(
                from: HistoryKey.place(table, lowest) + HistoryKey.commit(number.next),
                to: HistoryKey.place(table, highest) + HistoryKey.commit(last.next)),
            descending: false)
        var (left, limit) = (rows, 16)
        var found: [(RowID, CommitNumber)] = []
        while let next = left.first {
            try cursor.seek(HistoryKey.place(table, next) + HistoryKey.commit(number.next))
            guard try cursor.next(run, limit: limit) else { break }
            let before = left.count
            while let (key, _) = run.next() {
                guard let (row, commit) = HistoryKey.readRow(key) else { continue }
                left = left.drop { $0 < row }
                guard left.first == row, commit > number else { continue }
                found.append((row, commit))
                left.removeFirst()
            }
            // Where rows stand close together, one look finds many of them.
            limit = before - left.count > 1 ? min(4 * limit, 4096) : 16
        }
        return found
    }
}
