import CabinetBackend

/// How a query of records comes to their rows by an index.
struct RecordIndexPath: Sendable {
    let index: CatalogIndex
    /// The keys of all records that may meet the condition.
    let range: KeyRange
    /// The range for a reader; empty for all keys.
    let text: String
    /// How many keys there are.
    let estimatedRows: Int
    /// Whether the keys are in the order of the query, and which way: `nil` if they are not.
    let isDescending: Bool?
    private let cost: Int

    /// The path with the least cost; `nil` if a scan costs no more.
    ///
    /// - Parameters:
    ///   - tests: all of which a record meets.
    ///   - order: the fields that the query sorts by.
    ///   - wanted: how many records are wanted at most; `nil` for all.
    ///   - all: how many records there are.
    static func best(
        of indexes: [CatalogIndex], _ tests: [BoundTest], _ order: [QueryStatement.Order],
        wanted: Int?, all: Int, in reader: any BackendReader
    ) throws(BackendError) -> RecordIndexPath? {
        var best: RecordIndexPath?
        for index in indexes {
            guard
                let path = try RecordIndexPath(index, tests, order, wanted: wanted, in: reader)
            else { continue }
            if path.cost < best?.cost ?? all { best = path }
        }
        return best
    }

    /// Reading a record by its row takes as long as passing so many in a scan.
    private static let lookUp = 4

    /// `nil` if the index neither narrows nor sorts.
    private init?(
        _ index: CatalogIndex, _ tests: [BoundTest], _ order: [QueryStatement.Order],
        wanted: Int?, in reader: any BackendReader
    ) throws(BackendError) {
        var builder = OrderedKeyBuilder()
        var columns = index.columns[...]
        var parts: [String] = []
        while let column = columns.first,
            let test = tests.first(where: { column.isEqual($0, appendingTo: &builder) })
        {
            parts.append(test.text)
            columns.removeFirst()
        }
        let prefix = builder.key
        var range = PartRange(equalTo: prefix).keys
        if let column = columns.first,
            let (narrowed, used) = column.range(of: tests, behind: prefix)
        {
            range = narrowed
            parts += used.map(\.text)
        }
        // What equal keys have in common does not sort.
        let sorts =
            !order.isEmpty && order.map(\.name.text) == columns.map(\.field)
            && columns.allSatisfy(\.form.isInOrder)
            && order.allSatisfy { $0.isDescending == order[0].isDescending }
        let stopsEarly = sorts && wanted != nil
        guard !parts.isEmpty || stopsEarly else { return nil }
        let rows = try reader.count(of: range, in: index.table)
        (self.index, self.range, estimatedRows) = (index, range, rows)
        text = parts.joined(separator: " and ")
        isDescending = stopsEarly ? order.first?.isDescending : nil
        // Nothing tells how many records of a range meet the rest of the condition: one in two.
        let looked = stopsEarly ? min(rows, min(wanted ?? rows, rows) * 2) : rows
        cost = looked * Self.lookUp
    }

    /// The rows of the keys, in no order.
    func rows(in reader: any BackendReader) throws(BackendError) -> [RowID] {
        var rows: [RowID] = []
        let run = EntryRun()
        let cursor = try reader.entries(in: index.table, range: range, descending: false)
        while try cursor.next(run) {
            while let (key, value) = run.next() {
                if let row = IndexValue.row(of: key, value) { rows.append(row) }
            }
        }
        return rows
    }

    /// Calls `body` with the rows of equal keys, ascending, group after group in the order of the query,
    /// until it returns `false`. Returns `false`, perhaps after some calls, at a key that lacks an end:
    /// these are in no order.
    func forEachGroup(
        in reader: any BackendReader, _ body: ([RowID]) throws -> Bool
    ) throws -> Bool {
        let run = EntryRun()
        let cursor = try reader.entries(
            in: index.table, range: range, descending: isDescending ?? false)
        var (parts, group) = ([UInt8](), [RowID]())
        var limit = 64
        while try cursor.next(run, limit: limit) {
            limit = min(limit * 2, 4096)
            while let (key, value) = run.next() {
                guard let row = IndexValue.row(of: key, value) else { continue }
                let own = value.isEmpty ? key.dropLast(OrderedKey.rowSize) : key[...]
                if own.count > OrderedKey.longestWhole { return false }
                if !group.isEmpty, !own.elementsEqual(parts) {
                    guard try body(group.sorted()) else { return true }
                    group.removeAll(keepingCapacity: true)
                }
                if group.isEmpty { parts = Array(own) }
                group.append(row)
            }
        }
        if !group.isEmpty { _ = try body(group.sorted()) }
        return true
    }
}

extension CatalogIndex.Column {
    /// Whether a test says that the field equals a value, which then is appended to a key.
    fileprivate func isEqual(_ test: BoundTest, appendingTo key: inout OrderedKeyBuilder) -> Bool {
        guard test.field == field, case .relation(.equal) = test.kind, form.keepsEqualTogether
        else { return false }
        return form.append(test.operand, to: &key)
    }

    /// The keys behind `prefix` of what tests leave of the field, and these tests; `nil` if none of them
    /// narrows it.
    fileprivate func range(
        of tests: [BoundTest], behind prefix: OrderedKey
    ) -> (KeyRange, [BoundTest])? {
        var used: [BoundTest] = []
        var (lower, upper): (PartRange.Bound<Void>?, PartRange.Bound<Void>?)
        for test in tests where test.field == field {
            if case .beginsWith = test.kind, case .text(let start) = test.operand,
                case .text(let collation) = form, !collation.mayDivideEqualTexts,
                let range = PartRange(of: prefix, startingWith: start, collation: collation)
            {
                return (range.keys, [test])
            }
            guard case .relation(let relation) = test.kind, form.isInOrder,
                let bound = bound(test.operand)
            else { continue }
            switch relation {
            case .greater where lower == nil: lower = (.excluding(()), bound)
            case .greaterOrEqual where lower == nil: lower = (.including(()), bound)
            case .less where upper == nil: upper = (.excluding(()), bound)
            case .lessOrEqual where upper == nil: upper = (.including(()), bound)
            default: continue
            }
            used.append(test)
        }
        guard !used.isEmpty else { return nil }
        // NaN is below all of these, but has the last key.
        if form == .decimal, lower == nil { return nil }
        return (PartRange(of: prefix, from: lower, to: upper, includesNil: false).keys, used)
    }

    /// What appends the part of a value; `nil` for one without a place in the order.
    private func bound(_ value: FieldValue) -> ((inout OrderedKeyBuilder) -> Void)? {
        var key = OrderedKeyBuilder()
        guard value != .none, form.append(value, to: &key), !key.isNothing(at: 0) else {
            return nil
        }
        return { [form] in _ = form.append(value, to: &$0) }
    }
}
