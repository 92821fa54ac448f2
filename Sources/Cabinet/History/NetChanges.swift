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
        let buffer = DataBuffer()
        func record(_ row: RowID, _ table: TableNumber, _ reader: PastReader) throws -> FormerRecord
        {
            guard try reader.value(of: row, in: table, into: buffer) else { return .absent }
            return .record(buffer.withUnsafeBytes { [UInt8]($0) })
        }
        var changes: [NetChange] = []
        for storedClass in schema.classes {
            let table = storedClass.table
            if let gap = earlier.gap(of: table, upTo: later) {
                throw BackendError.changesGone(oldest: gap)
            }
            guard let rows = earlier[table] else { continue }
            for row in rows.places(upTo: later).inOrder() {
                guard
                    let kind = try decoder.change(
                        from: record(row, table, old), to: record(row, table, new), row,
                        of: storedClass)
                else { continue }
                changes.append(
                    NetChange(
                        className: storedClass.name,
                        id: ObjectID(store: base.identity, table: table, rowID: row), kind: kind))
            }
        }
        return changes
    }
}
