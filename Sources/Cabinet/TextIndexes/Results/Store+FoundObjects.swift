import CabinetBackend

extension Store {
    /// So few objects are read one by one: memory for many records takes more time.
    private static let fewObjects = 16

    /// The objects of some rows, each with its content, in the order of the rows, but for objects that are
    /// gone. Many records are read with one call of the engine.
    func foundObjects(
        of storedClass: StoredClass, at rows: [ScoredRow], _ search: FoundTexts
    ) throws -> FoundObjects {
        var found = FoundObjects(search: search)
        found.reserve(rows.count)
        guard rows.count >= Self.fewObjects else {
            for row in rows {
                if let object = try object(of: storedClass, row.row) { found.append(row, object) }
            }
            return found
        }
        guard let order = Self.order(of: rows) else {
            try read(rows.indices, rows, storedClass) { place, object in
                found.append(rows[place], object)
            }
            return found
        }
        var objects = [StoredObject?](repeating: nil, count: rows.count)
        try read(order, rows, storedClass) { objects[$0] = $1 }
        for (place, object) in objects.enumerated() {
            if let object { found.append(rows[place], object) }
        }
        return found
    }

    /// The places of rows in ascending order of the rows; `nil` if they are.
    private static func order(of rows: [ScoredRow]) -> [Int]? {
        var last: RowID = 0
        guard
            rows.contains(where: { row in
                defer { last = row.row }
                return row.row < last
            })
        else { return nil }
        var keys = rows.enumerated().map { place, row in
            UInt64(row.row.rawValue) << 32 | UInt64(UInt32(truncatingIfNeeded: place))
        }
        keys.sort()
        return keys.map { Int($0 & 0xFFFF_FFFF) }
    }

    /// Calls `body` with each place and its object, in the order of `places`: that of the rows.
    @inline(__always)
    private func read(
        _ places: some Sequence<Int>, _ rows: [ScoredRow], _ storedClass: StoredClass,
        _ body: (Int, StoredObject) -> Void
    ) throws {
        let buffer = DataBuffer()
        let absent = try withSeekMemory { memory in
            for place in places {
                let row = rows[place].row
                if storedClass.existing(row) == nil, !storedClass.goneRows.contains(row) {
                    memory.rows.append(row)
                }
            }
            var records = RowRecords(self, storedClass, memory.rows, memory.records)
            for place in places {
                let row = rows[place].row
                // Code of a class that reads its records may have made or freed objects since.
                let object =
                    if let record = try records.record(of: row) {
                        try meet(record, at: row, of: storedClass, by: buffer)
                    } else {
                        try self.object(of: storedClass, row)
                    }
                if let object { body(place, object) }
            }
            return memory.rows.count
        }
        if absent > 0 { storedClass.reads.notePrefetch(of: absent) }
    }
}
