import CabinetBackend

/// What an object is as of one commit, compared with what it was as of another. `Sendable`: a value.
public struct NetChange: Hashable, Sendable {
    /// The storage name of the object's class.
    public let className: String
    /// The object.
    public let id: ObjectID<StoredObject>
    /// What became of it between the two.
    public let kind: ObjectEvent<StoredObject>.Kind
}

extension PastLook {
    /// What differs from one commit to another one, by class and row.
    func changes(from first: CommitNumber, to second: CommitNumber) throws -> [NetChange] {
        let (before, now) = try (state(asOf: first), state(asOf: second))
        let (old, new) = (
            PastReader(base, asOf: first, before), PastReader(base, asOf: second, now)
        )
        let (earlier, later) = (first < second ? before : now, max(first, second))
        let schema = try StoreSchema(base)
        let decoder = RecordDecoder(schema)
        let run = RecordRun()
        /// Of as many rows as fill a run.
        func records(
            _ rows: ArraySlice<RowID>, _ table: TableNumber, _ reader: PastReader
        ) throws(BackendError) -> (looked: Int, records: [RowID: [UInt8]]) {
            var records: [RowID: [UInt8]] = [:]
            let looked = try reader.values(of: rows, in: table, into: run)
            while let (row, value) = run.next() { records[row] = [UInt8](value) }
            return (looked, records)
        }
        var changes: [NetChange] = []
        for storedClass in schema.classes {
            let table = storedClass.table
            if let gap = earlier.gap(of: table, upTo: later) {
                throw BackendError.changesGone(oldest: gap)
            }
            guard let rows = earlier[table] else { continue }
            var left = rows.places(upTo: later).inOrder()[...]
            while !left.isEmpty {
                let first = try records(left, table, old)
                let second = try records(left.prefix(first.looked), table, new)
                let some = left.prefix(second.looked)
                left = left.dropFirst(some.count)
                for row in some {
                    let kind = try decoder.change(
                        from: FormerRecord(first.records[row]),
                        to: FormerRecord(second.records[row]), row, of: storedClass)
                    guard let kind else { continue }
                    changes.append(
                        NetChange(
                            className: storedClass.name,
                            id: ObjectID(store: base.identity, table: table, rowID: row), kind: kind
                        ))
                }
            }
        }
        return changes
    }
}
