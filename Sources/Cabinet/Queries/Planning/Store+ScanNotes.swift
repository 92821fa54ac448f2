import CabinetBackend

/// Which queries of a store scan, as a part of the store.
struct ScanPart: StorePart {
    func add(to report: inout DebugReport, on store: Store) {
        guard let notes = store.annexIfMade(ScanNotes.self) else { return }
        report.furtherScans = notes.others
        report.scannedQueries = notes.queries(store.classesByNumber) { storedClass in
            let indexes = (try? store.indexKeeper?.indexes(of: storedClass))?.all ?? []
            return indexes.filter { $0.index.subset == nil }.map {
                $0.sources.map { $0.name ?? "" }
            }
        }
    }
}

extension Store {
    /// Notes that a query looked at all objects of a class, for ``Store/debugReport``: of a query for all
    /// objects in no order nothing, as no index helps it.
    func noteScan(
        _ storedClass: StoredClass, _ condition: Condition, examined: Int,
        order: (ClassFields) -> [FieldOrder?]
    ) {
        let fields = fields(of: storedClass)
        let order = order(fields)
        if case .constant = condition, order.isEmpty { return }
        annex(ScanNotes.self) { _ in ScanNotes() }
            .note(storedClass, condition, order, fields, examined: examined)
    }
}
