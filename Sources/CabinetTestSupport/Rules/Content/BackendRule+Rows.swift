import CabinetBackend

extension BackendRule {
    /// The rows that entries of an ordered table end with.
    static let rowsOfEntries: [BackendRule] = [
        BackendRule("a walk over the rows of entries gives the rows that the entries end with") {
            bench in
            let table = try bench.makeTable(.ordered, "Index")
            try putEntries(in: table, bench)
            let keys = try bench.backend.keys(in: table, range: .everything).map(\.key)
            var ranges: [KeyRange] = [.everything, KeyRange(prefix: [1]), KeyRange(from: [2, 9])]
            for start in stride(from: 0, to: keys.count, by: 97) {
                ranges.append(KeyRange(from: keys[start], to: keys[keys.count - 1 - start / 3]))
            }
            func compareAll(_ range: KeyRange, by limits: [Int]) throws {
                for descending in [false, true] {
                    let entries = try bench.backend.keys(
                        in: table, range: range, descending: descending)
                    for limit in limits {
                        let cursor = try bench.backend.entries(
                            in: table, range: range, descending: descending)
                        try compare(cursor, limit, entries, bench, "\(range), by \(limit)")
                    }
                }
            }
            for range in ranges { try compareAll(range, by: [7, 300, .max]) }
            // Row by row a walk takes long: so each key is met in one of many short ones.
            for start in stride(from: 0, to: keys.count - 1, by: 97) {
                let end = min(start + 100, keys.count - 1)
                try compareAll(
                    KeyRange(from: keys[start], to: keys[end]), by: [start % 2 == 0 ? 1 : -1])
            }
            try compareAll(KeyRange(from: keys[keys.count - 9]), by: [1, -1])
        },
        BackendRule("a walk goes on from entries to their rows, and back") { bench in
            let table = try bench.makeTable(.ordered, "Index")
            try putEntries(in: table, bench)
            for descending in [false, true] {
                let wanted = try bench.backend.keys(
                    in: table, range: .everything, descending: descending)
                let cursor = try bench.backend.entries(
                    in: table, range: .everything, descending: descending)
                let (entries, rows) = (EntryRun(), RowRun())
                var found = 0
                while try cursor.next(entries, limit: 50) {
                    while let (key, _) = entries.next() {
                        try bench.expectEqual(Array(key), wanted[found].key, "key \(found)")
                        found += 1
                    }
                    guard try cursor.next(rows, limit: 1) else { break }
                    try bench.expectEqual(
                        Array(rows.rows), row(wanted[found]).map { [$0] } ?? [], "row \(found)")
                    found += 1
                }
                try bench.expectEqual(found, wanted.count, "entries")
                try bench.expect(!cursor.next(rows, limit: 1), "a row behind the end")
                try bench.expect(rows.rows.isEmpty, "a run with rows behind the end")
            }
        },
    ]

    private static func compare(
        _ cursor: any EntryCursor, _ limit: Int, _ entries: [(key: [UInt8], value: [UInt8])],
        _ bench: Bench, _ what: String
    ) throws {
        let run = RowRun()
        run.append([9, 9, 9, 9, 9], [])
        var (found, longest): ([RowID], Int) = ([], 0)
        while try cursor.next(run, limit: limit) {
            try bench.expect(run.rows.count <= max(limit, 1), "\(run.rows.count) rows, \(what)")
            found += run.rows
            longest = max(longest, run.longestKey)
        }
        try bench.expect(run.rows.isEmpty, "a run with rows behind the end")
        try bench.expect(found == entries.compactMap(row), "rows differ: \(what)")
        let sizes = entries.map { $0.value.isEmpty ? $0.key.count - 4 : $0.key.count }
        try bench.expectEqual(longest, max(sizes.max() ?? 0, 0), "the longest key, \(what)")
    }

    private static func row(_ entry: (key: [UInt8], value: [UInt8])) -> RowID? {
        let bytes = entry.value.isEmpty ? entry.key : entry.value
        guard bytes.count >= 4 else { return nil }
        return RowID(bytes.suffix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
    }

    /// Entries as indexes have them: few different values, many, texts of several lengths, and values
    /// that are rows; some too short for a row. In three commits, the later ones with deletes.
    private static func putEntries(in table: TableNumber, _ bench: Bench) throws {
        func key(_ start: [UInt8], _ row: UInt32) -> [UInt8] {
            start + withUnsafeBytes(of: row.bigEndian) { Array($0) }
        }
        var numbers = SeededNumbers(17)
        for commit in 0..<3 {
            try bench.commit { batch in
                for row in 0..<700 as Range<UInt32> where row % 3 == commit || commit == 0 {
                    try batch.put([], for: key([1, UInt8(row % 3)], row * 5), in: table)
                    try batch.put([], for: key([2] + key([], row * 77), row), in: table)
                    let text = pattern(row, Int.random(in: 0..<40, using: &numbers))
                    if commit == 0 { try batch.put([], for: key([3] + text, row), in: table) }
                    try batch.put(key([], row * 3), for: [4] + key([], row / 2), in: table)
                    if commit == 1 { try batch.deleteKey(key([1, 0], row * 5), in: table) }
                    if commit == 2 { try batch.deleteKey([4] + key([], row / 4), in: table) }
                }
                for short in [[], [1], [2, 9], [2, 9, 9]] as [[UInt8]] {
                    try batch.put([], for: short, in: table)
                }
                try batch.put([7, 7], for: [5, 5, 5, 5, 5], in: table)
            }
        }
    }
}

extension RowRun {
    fileprivate func append(_ key: [UInt8], _ value: [UInt8]) {
        key.withUnsafeBytes { key in value.withUnsafeBytes { append(key, $0) } }
    }
}
