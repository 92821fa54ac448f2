import CabinetBackend

extension HistoryPart {
    /// Holds what commits say that they have replaced, in tables of history and in the log, against what commits
    /// before them have left, and what the last ones have left against the records.
    func findings(
        in store: Store, isolation: isolated (any Actor)?
    ) async throws -> [CheckFinding] {
        guard store.backend.features.isSuperset(of: [.changes, .lines]) else { return [] }
        return try PastLook.with(store.backend, label: "check", findings)
    }

    private func findings(in look: PastLook) throws -> [CheckFinding] {
        var chains = FormerChains()
        if let tables = look.tables {
            try tables.forEachEntry(after: look.oldest) {
                commit, content, value throws(BackendError) in
                guard case .row(let table, let row) = content else { return }
                let place = RowPlace(table: table, row: row)
                chains.take(
                    HistoryValue.read(value).map { LeftRecord($0, at: place) },
                    try tables.left(in: place, by: commit), at: place)
            }
        }
        try look.forEachCommit(after: look.oldest) { commit throws(BackendError) in
            try chains.take(commit)
        }
        let buffer = DataBuffer()
        for (place, stored) in chains.last {
            do throws(BackendError) {
                let isThere = try look.base.value(of: place.row, in: place.table, into: buffer)
                let found = LeftRecord(
                    isThere ? UnsafeRawBufferPointer(buffer.memory) : nil, at: place)
                if found != stored { chains.wrong.insert(place) }
            } catch {
                // That is found elsewhere.
                guard case .corrupt = error else { throw error }
            }
        }
        let names = Dictionary(
            try look.base.tables().filter { $0.kind == .record }.map { ($0.number, $0.name) },
            uniquingKeysWith: { first, _ in first })
        // Of a class that was dropped nothing can be asked.
        return chains.wrong.sorted { ($0.table, $0.row) < ($1.table, $1.row) }.compactMap { place in
            names[place.table].map {
                CheckFinding(
                    .wrongHistory, className: $0, row: place.row,
                    reason: "what commits have replaced is not what stood there")
            }
        }
    }

    /// What commits have left in rows and said of it later.
    fileprivate struct FormerChains {
        /// What the last commit so far has left.
        private(set) var last: [RowPlace: LeftRecord] = [:]
        var wrong: Set<RowPlace> = []

        /// Takes what a commit says of a row.
        /// - Parameters:
        ///   - former: what it has replaced; `nil`: it does not say that.
        ///   - left: what it has left; `nil`: that is not known.
        mutating func take(_ former: LeftRecord?, _ left: LeftRecord?, at place: RowPlace) {
            if let former, let known = last[place], known != former { wrong.insert(place) }
            last[place] = left
        }

        mutating func take(_ commit: CommittedChanges) throws(BackendError) {
            var left: [RowPlace: LeftRecord] = [:]
            var formers: [RowPlace: LeftRecord] = [:]
            var newRows: Set<TableNumber> = []
            try commit.forEachOperation { operation in
                switch operation {
                case .putRow(let table, let row, let stored):
                    left[RowPlace(table: table, row: row)] = LeftRecord(stored: stored)
                case .deleteRow(let table, let row):
                    left[RowPlace(table: table, row: row)] = .nothing
                case .unknown(Operation.former, let table, let bytes):
                    if FormerValue.saysNewRows(bytes) { newRows.insert(table) }
                    guard let former = FormerValue(bytes), case .row(let row) = former.place
                    else { return }
                    let place = RowPlace(table: table, row: row)
                    if formers[place] == nil {
                        formers[place] = former.stored.map { LeftRecord(stored: $0) } ?? .nothing
                    }
                case .drop(let table):
                    last = last.filter { $0.key.table != table }
                default: break
                }
            }
            for (place, record) in left {
                let isNew = newRows.contains(place.table) && record != .nothing
                take(formers[place] ?? (isNew ? .nothing : nil), record, at: place)
            }
        }
    }
}
