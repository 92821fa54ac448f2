import CabinetBackend

extension FeedModel.Contents {
    /// Expects `reader` to show just this, by every call that it has.
    ///
    /// - Parameters:
    ///   - records: record tables that may be there.
    ///   - keyed: ordered and named tables that may be there.
    func expect(
        in reader: any BackendReader, records: [TableNumber] = [10, 20, 21, 22, 23],
        keys keyed: [TableNumber] = [11, .namedBuffers]
    ) throws {
        let defined = tables.values.sorted { $0.number < $1.number }
        try expectEqual(reader.tables(), defined, "tables")
        for table in records { try expectRows(of: table, in: reader) }
        for table in keyed { try expectKeys(of: table, in: reader) }
    }

    private func expectRows(of table: TableNumber, in reader: any BackendReader) throws {
        let wanted = rows[table] ?? [:]
        let found = try reader.rows(in: table)
        try expectEqual(found.count, wanted.count, "rows met in table \(table)")
        for (row, value) in found where !areSame(wanted[row], value) {
            throw Unexpected("row \(row) of table \(table) is another one")
        }
        try expectEqual(reader.count(of: table), wanted.count, "count of \(table)")
        let run = RecordRun()
        var left = Array(2...60 as ClosedRange<RowID>)[...]
        while !left.isEmpty {
            left = left.dropFirst(try reader.values(of: left, in: table, into: run))
            while let (row, value) = run.next() {
                guard areSame(wanted[row], Array(value)) else {
                    throw Unexpected("row \(row) of many of \(table) is another one")
                }
            }
        }
        let all = Array(2...60 as ClosedRange<RowID>)
        try expectEqual(
            reader.presentRows(among: all[...], in: table), all.filter { wanted[$0] != nil },
            "rows that are there in table \(table)")
        for row in 2...60 as ClosedRange<RowID> {
            try expectEqual(
                reader.value(of: row, in: table), wanted[row], "row \(row) of \(table)")
        }
    }

    private func expectKeys(of table: TableNumber, in reader: any BackendReader) throws {
        let wanted = keys[table] ?? [:]
        let order = wanted.keys.sorted { $0.lexicographicallyPrecedes($1) }
        let found = try reader.keys(in: table)
        try expectEqual(
            found.map(\.key).sorted { $0.lexicographicallyPrecedes($1) }, order, "keys")
        guard found.allSatisfy({ wanted[$0.key] == $0.value }) else {
            throw Unexpected("a value of a key of \(table) is another one")
        }
        try expectEqual(reader.count(of: table), wanted.count, "count of \(table)")
        for key in order {
            try expectEqual(reader.value(forKey: key, in: table), wanted[key], "key \(key)")
        }
        let run = EntryRun()
        var left = (order + [[0]])[...]
        while !left.isEmpty {
            left = left.dropFirst(try reader.values(forKeys: left, in: table, into: run))
            while let (key, value) = run.next() {
                guard wanted[Array(key)] == Array(value) else {
                    throw Unexpected("a value of many keys of \(table) is another one")
                }
            }
        }
        guard table != .namedBuffers else { return }
        try expectEqual(found.map(\.key), order, "keys in their order")
        let back = try reader.keys(in: table, descending: true)
        try expectEqual(back.map(\.key), order.reversed(), "keys against their order")
        let (start, end) = (Array("2".utf8), Array("45".utf8))
        let inside = order.filter {
            !$0.lexicographicallyPrecedes(start) && $0.lexicographicallyPrecedes(end)
        }
        let range = KeyRange(from: start, to: end)
        try expectEqual(
            reader.keys(in: table, range: range).map(\.key), inside, "keys of a range")
        try expectEqual(reader.count(of: range, in: table), inside.count, "a range")
        for (offset, key) in order.enumerated().filter({ $0.offset % 7 == 0 }) {
            try expectEqual(reader.key(at: offset, in: table), key, "the key at \(offset)")
            let rank = try key.withUnsafeBytes { try reader.rank(of: $0, in: table) }
            try expectEqual(rank, offset, "a rank")
        }
    }

    private func expectEqual<Value: Equatable>(
        _ found: Value, _ wanted: Value, _ what: @autoclosure () -> String
    ) throws {
        guard found != wanted else { return }
        throw Unexpected("\(what()): \(wanted) expected, \(found) found")
    }
}
