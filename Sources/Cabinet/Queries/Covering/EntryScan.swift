import CabinetBackend

/// An index whose keys alone say all that a query wants of its objects.
struct EntryScan {
    let index: ClassIndex
    let table: TableNumber
    /// Ranges of keys in their order, none of which overlap.
    let ranges: [KeyRange]
    /// Whether all objects of those keys meet the condition.
    let isExact: Bool
    /// How many keys lie in the ranges.
    let count: Int
    /// What the ranges follow from.
    let limits: [FieldLimit]
    /// What is read of each key, from the index's first column on.
    let columns: [EntryColumns.Column]
    /// How many columns each have one value in all of the ranges.
    let equalColumns: Int
}

extension RowPlanner {
    /// The index with the fewest keys to look at that give back `wanted`, and what the condition looks
    /// at beyond the ranges; `nil` if none does.
    ///
    /// - Parameter isFit: whether an index will do, with the ranges that it is asked for.
    func entryScan(
        _ condition: Condition, reading wanted: FieldsRead,
        where isFit: (ClassIndex, IndexRanges?) -> Bool = { _, _ in true }
    ) throws -> EntryScan? {
        let limits = condition.conjuncts.map(\.limit)
        var best: EntryScan?
        for index in indexes where !index.index.isMultiple && index.index.subset == nil {
            guard let table = index.table else { continue }
            let ranges = IndexRanges(index, limits)
            guard isFit(index, ranges) else { continue }
            let isExact = (ranges?.isExact ?? true) && (ranges?.used.count ?? 0) == limits.count
            var read = wanted
            if !isExact {
                guard let others = condition.fieldsRead else { continue }
                read.formUnion(others)
            }
            let columns = EntryColumns(index)
            guard columns.give(read), let keys = try count(of: ranges, in: table),
                best.map({ keys < $0.count }) ?? true
            else { continue }
            best = EntryScan(
                index: index, table: table, ranges: ranges?.ranges ?? [.everything],
                isExact: isExact, count: keys, limits: ranges?.taken ?? [],
                columns: columns.reading(read), equalColumns: ranges?.equalColumns ?? 0)
        }
        return best
    }

    private func count(
        of ranges: IndexRanges?, in table: TableNumber
    ) throws(BackendError) -> Int? {
        guard let ranges else {
            return try store.reading { reader throws(BackendError) in
                try reader.count(of: table)
            }
        }
        return try count(of: ranges.ranges, in: table, upTo: .max)
    }
}

extension Store {
    /// Calls `body` with a candidate at each object of the class that `filter` accepts, as the keys of an
    /// index say what it is, and then at what is pending, until it returns `false`.
    ///
    /// - Throws: ``Candidate/NotInEntry`` where keys do not say enough; what `body` and the filter throw.
    func walk(
        _ scan: EntryScan, _ storedClass: StoredClass, _ filter: Filter,
        _ counts: inout ScanCounts, _ body: (Candidate) throws -> Bool
    ) throws {
        enumerations += 1
        defer { enumerations -= 1 }
        scan.index.uses += 1
        let pending = overlay.pending(of: storedClass)
        let candidate = Candidate(self, fields(of: storedClass), ofEntries: true)
        let entries = EntryReader(scan.columns)
        let reader = try readerForWalk()
        let goesOn = try withSeekMemory { memory in
            let run = memory.entries
            for range in scan.ranges {
                let cursor = try reader.entries(in: scan.table, range: range, descending: false)
                while try cursor.next(run) {
                    while let (key, value) = run.next() {
                        guard let row = IndexValue.row(of: key, value),
                            pending.rows.isEmpty || !pending.rows.contains(row)
                        else { continue }
                        try entries.read(try Self.parts(of: key, value), row, candidate)
                        counts.examined += 1
                        if !scan.isExact {
                            guard try filter.accepts(candidate) else { continue }
                        }
                        counts.matched += 1
                        guard try body(candidate) else { return false }
                    }
                }
            }
            return true
        }
        guard goesOn else { return }
        for object in pending.objects where !object.state.contains(.deleted) {
            candidate.take(object)
            counts.examined += 1
            guard try filter.accepts(candidate) else { continue }
            counts.matched += 1
            guard try body(candidate) else { return }
        }
    }

    /// The key of an entry without its row.
    /// - Throws: ``Candidate/NotInEntry`` if it lacks an end.
    @inline(__always)
    static func parts(
        of key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(Candidate.NotInEntry) -> UnsafeRawBufferPointer {
        let parts =
            value.isEmpty
            ? UnsafeRawBufferPointer(rebasing: key.dropLast(OrderedKey.rowSize)) : key
        guard parts.count <= OrderedKey.longestWhole else { throw .init() }
        return parts
    }
}
