import CabinetBackend

extension Store {
    /// So few objects are read one by one: memory for many records takes more time.
    private static let fewObjects = 16

    /// Calls `body` with the place of each row among `found` and its object, with its content, in
    /// ascending order of the rows; not for objects that are gone. Many records are read with one call of
    /// the engine.
    func forEachObject(
        of storedClass: StoredClass, at found: ArraySlice<ScoredRow>,
        _ body: (_ place: Int, _ object: StoredObject) -> Void
    ) throws {
        let places = found.indices.sorted { found[$0].row < found[$1].row }
        guard places.count >= Self.fewObjects else {
            for place in places {
                if let object = try object(of: storedClass, found[place].row) {
                    body(place, object)
                }
            }
            return
        }
        var absent: [Int] = []
        for place in places {
            let row = found[place].row
            if storedClass.existing(row) == nil, !storedClass.goneRows.contains(row) {
                absent.append(place)
            } else if let object = try object(of: storedClass, row) {
                body(place, object)
            }
        }
        guard !absent.isEmpty else { return }
        let buffer = DataBuffer()
        try withSeekMemory { memory in
            memory.rows.append(contentsOf: absent.lazy.map { found[$0].row })
            var left = memory.rows[...]
            var next = 0
            while !left.isEmpty {
                let run = memory.records
                let looked = try reading { reader throws(BackendError) in
                    try reader.values(of: left, in: storedClass.table, into: run)
                }
                left = left.dropFirst(looked)
                while let (row, record) = run.next() {
                    while next < absent.count, found[absent[next]].row < row { next += 1 }
                    guard next < absent.count, found[absent[next]].row == row,
                        let object = try meet(record, at: row, of: storedClass, by: buffer)
                    else { continue }
                    body(absent[next], object)
                }
            }
        }
        storedClass.reads.notePrefetch(of: absent.count)
    }
}
