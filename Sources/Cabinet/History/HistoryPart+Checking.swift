import CabinetBackend

extension HistoryPart {
    /// Holds what commits in the log say that they have replaced against what commits before them have put, and
    /// what the last ones have put against the records.
    ///
    /// Of what was moved out of the log, commits have put nothing any more that could be compared.
    func findings(
        in store: Store, isolation: isolated (any Actor)?
    ) async throws -> [CheckFinding] {
        guard store.backend.features.isSuperset(of: [.changes, .lines]) else { return [] }
        let look = try PastLook(over: store.backend, label: "check")
        var chains = FormerChains()
        try look.forEachCommit(after: look.oldest) { commit throws(BackendError) in
            try chains.take(commit)
        }
        let buffer = DataBuffer()
        for (place, stored) in chains.last {
            do throws(BackendError) {
                let isThere = try look.base.value(of: place.row, in: place.table, into: buffer)
                let found = isThere ? Content(UnsafeRawBufferPointer(buffer.memory)) : nil
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

    /// What stands for a value: its length and a hash.
    fileprivate struct Content: Hashable {
        private let count: Int
        private let hash: Int

        init(_ value: UnsafeRawBufferPointer) {
            var hasher = Hasher()
            hasher.combine(bytes: value)
            (count, hash) = (value.count, hasher.finalize())
        }

        init(stored: UnsafeRawBufferPointer) {
            self.init(UnsafeRawBufferPointer(rebasing: stored.dropLast(Operation.checksumSize)))
        }
    }

    /// What commits have put into rows and said of it later.
    fileprivate struct FormerChains {
        /// What the last commit so far has left; `nil` within: nothing.
        private(set) var last: [RowPlace: Content?] = [:]
        var wrong: Set<RowPlace> = []

        mutating func take(_ commit: CommittedChanges) throws(BackendError) {
            var written: [RowPlace: Content?] = [:]
            try commit.forEachOperation { operation in
                switch operation {
                case .putRow(let table, let row, let stored):
                    written[RowPlace(table: table, row: row)] = .some(Content(stored: stored))
                case .deleteRow(let table, let row):
                    written[RowPlace(table: table, row: row)] = .some(nil)
                case .unknown(Operation.former, let table, let bytes):
                    guard let former = FormerValue(bytes), case .row(let row) = former.place
                    else { return }
                    let place = RowPlace(table: table, row: row)
                    let said = former.stored.map { Content(stored: $0) }
                    if let known = last[place], known != said { wrong.insert(place) }
                case .drop(let table):
                    last = last.filter { $0.key.table != table }
                default: break
                }
            }
            last.merge(written) { $1 }
        }
    }
}
