import CabinetBackend

extension Store {
    /// How a query with that condition comes to the objects of `storedClass`.
    func accessPath(_ condition: Condition, _ storedClass: StoredClass) throws -> AccessPath {
        guard let indexes = try indexKeeper?.indexes(of: storedClass), !indexes.all.isEmpty else {
            return .scan
        }
        let limits = condition.conjuncts.map(\.limit)
        guard limits.contains(where: { $0 != nil }) else { return .scan }
        var best: IndexScan?
        var mostRows = try mostRowsByIndex(of: storedClass)
        for index in indexes.all where index.isComplete {
            guard let table = index.table, let ranges = IndexRanges(index, limits) else { continue }
            guard let count = try count(of: ranges.ranges, in: table, upTo: mostRows) else {
                continue
            }
            best = IndexScan(
                index: index, table: table, ranges: ranges.ranges,
                isExact: ranges.isExact && ranges.used.count == limits.count,
                estimatedRows: count, text: ranges.text)
            if count <= 1 { break }
            mostRows = count - 1
        }
        return best.map { .index($0) } ?? .scan
    }

    /// Up to how many rows it is quicker to look them up than to scan the class.
    private func mostRowsByIndex(of storedClass: StoredClass) throws -> Int {
        let costs = plannerCosts
        if costs.lookUp == 0 { return .max }
        let all = try reading { reader throws(BackendError) in
            try reader.count(of: storedClass.table)
        }
        return (all - costs.start) / costs.lookUp
    }

    /// How many keys lie in the ranges; `nil` for more than `most`.
    private func count(
        of ranges: [KeyRange], in table: TableNumber, upTo most: Int
    ) throws -> Int? {
        var sum = 0
        // Each range costs a look-up at least.
        guard ranges.count <= max(most, 1) || most == .max else { return nil }
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
