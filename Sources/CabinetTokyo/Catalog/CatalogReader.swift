import CabinetBackend

/// Reads the engine's own entries.
struct CatalogReader {
    private let table: Table

    init(_ table: Table) { self.table = table }

    func entry(of number: TableNumber) throws(BackendError) -> CatalogEntry? {
        try value(of: CatalogKey.table(number)) { CatalogEntry(json: $0) } ?? nil
    }

    func highestRow(of number: TableNumber) throws(BackendError) -> RowID {
        try counter(CatalogKey.rows(number)) ?? 0
    }

    func counter(_ name: String) throws(BackendError) -> UInt32? {
        try value(of: name) { CatalogKey.counter(from: $0) } ?? nil
    }

    private func value<Result>(
        of name: String, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(BackendError) -> Result? {
        let file = try table.hash()
        var name = name
        let outcome: Swift.Result<Result?, BackendError> = name.withUTF8 { utf8 in
            let key = UnsafeRawBufferPointer(utf8)
            switch file.image.find(key) {
            case .nothing: return .success(nil)
            case .value(let stored) where Checksum.isRight(key, stored):
                return .success(body(Checksum.value(of: stored)))
            case .value: return .failure(.corrupt(path: file.path, offset: 0))
            case .damage(let offset):
                return .failure(.corrupt(path: file.path, offset: offset))
            }
        }
        return try outcome.get()
    }
}
