import CabinetBackend

/// The tables of history of a store, as a frozen reader has them: what all commits after ``oldest`` have
/// replaced, up to ``last``. Not `Sendable`.
struct HistoryTables {
    private let reader: any BackendReader
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
        guard number < last else { return }
        let run = EntryRun()
        for (table, entries, _) in all where table.last > number {
            let range = KeyRange(
                from: HistoryKey.commit(number.next), to: HistoryKey.commit(table.last.next))
            let cursor = try reader.entries(in: entries, range: range, descending: false)
            while try cursor.next(run) {
                while let (key, value) = run.next() {
                    guard let (commit, content) = HistoryKey.read(key) else { continue }
                    try body(commit, content, value)
                }
            }
        }
    }

    /// The commits after one that have replaced something, in their order.
    func commits(after number: CommitNumber) throws(BackendError) -> [MovedCommit] {
        var commits: [MovedCommit] = []
        try forEachEntry(after: number) { commit, content, value in
            if case .commit = content { commits.append(MovedCommit(commit, value)) }
        }
        return commits
    }

    /// The rows of a table that a commit has changed, ascending.
    func rows(of table: TableNumber, in commit: CommitNumber) throws(BackendError) -> [RowID] {
        guard let holder = holder(of: commit) else { return [] }
        let prefix = HistoryKey.commit(commit) + HistoryKey.bytes(table.rawValue)
        let cursor = try reader.entries(
            in: holder.entries, range: KeyRange(prefix: prefix), descending: false)
        var rows: [RowID] = []
        let run = EntryRun(capacity: 4096)
        while try cursor.next(run) {
            while let (key, _) = run.next() {
                if case .row(_, let row)? = HistoryKey.read(key)?.content { rows.append(row) }
            }
        }
        return rows
    }

    // MARK: Of one row

    /// The first commit after one that has changed a row.
    func nextCommit(
        of place: RowPlace, after number: CommitNumber
    ) throws(BackendError) -> CommitNumber? {
        try commits(of: place, after: number, upTo: 1).first
    }

    /// The commits after one that have changed a row, in their order.
    func commits(
        of place: RowPlace, after number: CommitNumber, upTo limit: Int = .max
    ) throws(BackendError) -> [CommitNumber] {
        var commits: [CommitNumber] = []
        let prefix = HistoryKey.place(place.table, place.row)
        let run = EntryRun(capacity: 4096)
        for (table, _, rows) in all where table.last > number {
            let range = KeyRange(
                from: prefix + HistoryKey.commit(number.next),
                to: prefix + HistoryKey.commit(table.last.next))
            let cursor = try reader.entries(in: rows, range: range, descending: false)
            while commits.count < limit, try cursor.next(run, limit: limit - commits.count) {
                while let (key, _) = run.next() {
                    if let commit = HistoryKey.lastCommit(key) { commits.append(commit) }
                }
            }
        }
        return commits
    }

    /// What a commit has replaced in a row, and what it has left there where it does not say that; `nil`: the
    /// next change of the row says it.
    func change(
        of place: RowPlace, in commit: CommitNumber
    ) throws(BackendError) -> (former: FormerRecord, new: FormerRecord?) {
        let found = try value(
            under: HistoryKey.commit(commit) + HistoryKey.place(place.table, place.row), commit)
        return found?.withUnsafeBytes { bytes in
            guard let read = HistoryValue.read(bytes) else {
                return (.unknown, HistoryValue.readLeft(bytes))
            }
            return (FormerRecord(read.map { [UInt8]($0) }), nil)
        } ?? (.unknown, nil)
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

    /// A commit that has replaced something; `nil` if it has not.
    func commit(_ number: CommitNumber) throws(BackendError) -> MovedCommit? {
        try value(under: HistoryKey.commit(number), number)?.withUnsafeBytes {
            MovedCommit(number, $0)
        }
    }

    private func value(
        under key: [UInt8], _ commit: CommitNumber
    ) throws(BackendError) -> [UInt8]? {
        guard let table = holder(of: commit) else { return nil }
        let buffer = DataBuffer()
        return try key.withUnsafeBytesThrowing { key throws(BackendError) in
            try reader.value(forKey: key, in: table.entries, into: buffer)
                ? buffer.withUnsafeBytes { [UInt8]($0) } : nil
        }
    }

    func holder(
        of commit: CommitNumber
    ) -> (table: HistoryTable, entries: TableNumber, rows: TableNumber)? {
        all.first { $0.table.after < commit && commit <= $0.table.last }
    }
}
