import CabinetBackend

extension Store {
    /// How a query with that condition comes to the objects of `storedClass`: the quickest way to
    /// `purpose`.
    func accessPath(
        _ condition: Condition, _ storedClass: StoredClass, for purpose: PathPurpose = .records
    ) throws -> AccessPath {
        guard let indexes = try indexKeeper?.indexes(of: storedClass), !indexes.all.isEmpty else {
            return .scan
        }
        let limits = condition.conjuncts.map(\.limit)
        guard limits.contains(where: { $0 != nil }) else { return .scan }
        let costs = plannerCosts
        var best: IndexScan?
        var lowest = costs.lookUp == 0 ? Int.max : try countOfRecords(storedClass)
        for index in indexes.all where index.isComplete {
            guard let table = index.table, let ranges = IndexRanges(index, limits) else { continue }
            let isExact = ranges.isExact && ranges.used.count == limits.count
            let ofRow = purpose.cost(ofRow: costs, isExact: isExact)
            guard
                let count = try count(
                    of: ranges.ranges, in: table, upTo: costs.most(within: lowest, ofRow))
            else { continue }
            best = IndexScan(
                index: index, table: table, ranges: ranges.ranges, isExact: isExact,
                estimatedRows: count, text: ranges.text)
            if count <= 1 { break }
            lowest = costs.cost(of: count, ofRow)
        }
        return best.map { .index($0) } ?? .scan
    }

    private func countOfRecords(_ storedClass: StoredClass) throws(BackendError) -> Int {
        try reading { reader throws(BackendError) in try reader.count(of: storedClass.table) }
    }

    /// How many keys lie in the ranges; `nil` for more than `most`.
    private func count(
        of ranges: [KeyRange], in table: TableNumber, upTo most: Int
    ) throws -> Int? {
        var sum = 0
        // Each range costs a look-up at least.
        guard most >= 0, ranges.count <= max(most, 1) || most == .max else { return nil }
        for range in ranges {
            sum += try reading { reader throws(BackendError) in
                try reader.count(of: range, in: table)
            }
            if sum > most { return nil }
        }
        return sum
    }

    /// Reads as of the store's basis, by `body`, which may be called twice: another store may have
    /// committed while it read.
    func reading<Result>(
        _ body: (any BackendReader) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        let isFrozen = frozen != nil
        let result = try body(reader)
        guard !isFrozen, slot.isShared || frozen != nil else { return result }
        return try body(reader)
    }
}
