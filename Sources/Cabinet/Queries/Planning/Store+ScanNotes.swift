import CabinetBackend

extension Store: ScanningStore {
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

    var scannedQueries: [DebugReport.ScannedQuery] {
        annexIfMade(ScanNotes.self)?.queries(classesByNumber) { storedClass in
            let indexes = (try? indexKeeper?.indexes(of: storedClass))?.all ?? []
            return indexes.filter { $0.index.subset == nil }.map {
                $0.sources.map { $0.name ?? "" }
            }
        } ?? []
    }

    var furtherScans: Int { annexIfMade(ScanNotes.self)?.others ?? 0 }
}
