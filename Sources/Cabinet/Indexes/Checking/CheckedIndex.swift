import CabinetBackend

/// An index that is compared with its records.
struct CheckedIndex {
    /// Calls `body` with each key of a record.
    typealias Keys = (
        _ record: UnsafeRawBufferPointer, _ row: RowID,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) throws -> Void

    let className: String
    let name: String
    /// The table of the records, and that of the index.
    let records: TableNumber
    let table: TableNumber
    let forEachKey: Keys
}

extension CheckedIndex {
    init(_ index: ClassIndex, _ table: TableNumber, in store: Store) {
        let storedClass = index.storedClass
        let candidate = Candidate(store, store.fields(of: storedClass), ofRecords: true)
        let keys = IndexKeys()
        self.init(
            className: storedClass.name, name: index.name, records: storedClass.table, table: table
        ) { record, row, body in
            guard try candidate.take(record, at: row) else { return }
            if index.index.isMultiple {
                try keys.makeSeveral(of: index, candidate)
                for key in keys.several { key.withUnsafeBytes { body($0) } }
                return
            }
            try keys.withKey(of: index, candidate) { key in
                if let key { body(key.bytes) }
            }
        }
    }
}
