import CabinetBackend
import CabinetTextSearch

extension Store {
    /// So few objects are read one by one: memory for many records takes more time.
    private static let fewObjects = 16

    /// The objects of some rows, each with its content, in the order of the rows, but for objects that are
    /// gone. Many records are read with one call of the engine.
    func foundObjects(
        of storedClass: StoredClass, at rows: [ScoredRow], _ search: FoundTexts
    ) throws -> FoundObjects {
        guard rows.count >= Self.fewObjects else {
            let objects = try rows.map { try object(of: storedClass, $0.row) }
            return FoundObjects(rows, objects, search)
        }
        guard let order = Self.order(of: rows) else {
            var objects: [StoredObject] = []
            objects.reserveCapacity(rows.count)
            var gone: [Int] = []
            try read(rows.indices, rows, storedClass) { place, object in
                if let object { objects.append(object) } else { gone.append(place) }
            }
            return FoundObjects(rows, objects, without: gone, search)
        }
        var objects = [StoredObject?](repeating: nil, count: rows.count)
        try read(order, rows, storedClass) { objects[$0] = $1 }
        return FoundObjects(rows, objects, search)
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

    /// Calls `body` with each place and its object, `nil` if it is gone, in the order of `places`: that of
    /// the rows.
    @inline(__always)
    private func read(
        _ places: some Sequence<Int>, _ rows: [ScoredRow], _ storedClass: StoredClass,
        _ body: (Int, StoredObject?) -> Void
    ) throws {
        let buffer = DataBuffer()
        let absent = try withSeekMemory { memory in
            // Not in place: each access to a variable of a class is checked.
            var wanted: [RowID] = []
            swap(&wanted, &memory.rows)
            for place in places {
                let row = rows[place].row
                if storedClass.existing(row) == nil, !storedClass.goneRows.contains(row) {
                    wanted.append(row)
                }
            }
            memory.rows = wanted
            var records = RowRecords(self, storedClass, wanted, memory.records)
            for place in places {
                let row = rows[place].row
                // Code of a class that reads its records may have made or freed objects since.
                if let record = try records.record(of: row) {
                    body(place, try meet(record, at: row, of: storedClass, by: buffer))
                } else {
                    body(place, try object(of: storedClass, row))
                }
            }
            return wanted.count
        }
        if absent > 0 { storedClass.reads.notePrefetch(of: absent) }
    }
}
