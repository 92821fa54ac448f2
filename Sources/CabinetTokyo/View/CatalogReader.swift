import CabinetBackend

/// Reads the engine's own entries.
struct CatalogReader {
    private let table: Table

    init(_ table: Table) { self.table = table }

    /// - Throws: ``BackendError/corrupt(path:offset:)`` for an entry that cannot be understood, or
    ///   is about another table or kind of table: how the table is laid out is not known then.
    func entry(of state: TableState) throws(BackendError) -> CatalogEntry? {
        let definition = state.definition
        let key = CatalogKey.table(definition.number)
        let found = try value(of: key) { CatalogEntry(json: $0, expected: definition) }
        guard let found else { return nil }
        guard let entry = found, entry.number == definition.number,
            entry.definition.kind == definition.kind
        else { throw .corrupt(path: try table.hash().path, offset: 0) }
        return entry
    }

    /// - Throws: ``BackendError/newerFormat(path:found:known:)`` if a newer program made the
    ///   catalog, ``BackendError/olderFormat(path:found:oldest:)`` if a development version did.
    func checkFormat() throws(BackendError) {
        let format = try value(of: CatalogKey.store) { StoreEntry.format(of: $0) } ?? nil
        try StoreEntry.check(format, path: try table.hash().path)
    }

    func highestRow(of number: TableNumber) throws(BackendError) -> RowID {
        RowID(try counter(CatalogKey.rows(number)) ?? 0)
    }

    func counter(_ name: String) throws(BackendError) -> UInt32? {
        try value(of: name) { CatalogKey.counter(from: $0) } ?? nil
    }

    func dropped() throws(BackendError) -> DroppedTables {
        try value(of: CatalogKey.dropped) { DroppedTables($0) } ?? DroppedTables()
    }

    /// - Throws: ``BackendError/corrupt(path:offset:)`` for an entry that cannot be understood.
    func lines() throws(BackendError) -> [CommitLine] {
        guard let found = try value(of: CatalogKey.lines, { LineList.lines(from: $0) }) else {
            return []
        }
        guard let lines = found else { throw .corrupt(path: try table.hash().path, offset: 0) }
        return lines
    }

    private enum Found<Result> {
        case value(Result)
        case nothing
        case damage(UInt64)
    }

    private func value<Result>(
        of name: String, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(BackendError) -> Result? {
        let file = try table.hash()
        return try Array(name.utf8).withUnsafeBufferPointer { utf8 throws(BackendError) in
            let found = table.values.withFileKey(of: UnsafeRawBufferPointer(utf8)) {
                key -> Found<Result> in
                switch file.image.find(key) {
                case .nothing: .nothing
                case .value(let content):
                    table.values.withValue(of: content, key, body).map { .value($0) } ?? .damage(0)
                case .damage(let offset): .damage(offset)
                }
            }
            switch found {
            case .nothing: return nil
            case .value(let result): return result
            case .damage(let offset): throw .corrupt(path: file.path, offset: offset)
            }
        }
    }
}
