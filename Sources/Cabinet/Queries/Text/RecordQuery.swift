import CabinetBackend

/// A query in text that is asked of records, by what the catalog says of their class: no class is
/// needed.
///
/// A field that a record's layout did not have counts as one without a value. Indexes are used whose keys
/// the catalog explains. `Sendable`: a value.
package struct RecordQuery: Sendable {
    private let statement: QueryStatement
    private let clause: BoundClause
    private let storedClass: StoreSchema.Class

    /// Checks `text` against the fields of the class, those of its latest layout.
    /// - Throws: ``QuerySyntaxError``
    package init(
        _ text: QueryText, of storedClass: StoreSchema.Class
    ) throws(QuerySyntaxError) {
        let fields = storedClass.fields
        statement = try QueryParser.parse(text)
        clause = try statement.bind(
            FieldScope(
                names: fields.map(\.name), type: { name in fields.first { $0.name == name }?.form },
                target: { _ in nil }))
        self.storedClass = storedClass
    }

    /// The records that the query gives, in its order, then by row.
    ///
    /// - Parameters:
    ///   - backend: where the records are.
    ///   - decoder: reads records of the class's schema.
    ///   - usesIndexes: whether indexes may be used; a scan meets every record.
    ///   - unreadable: called with the row of each record that was met and cannot be read without its
    ///     class, which is left out, and with the reason; that is `nil` for one that was written by hand.
    /// - Throws: a ``BackendError``.
    package func answer(
        in backend: any BackendReader, by decoder: RecordDecoder, usesIndexes: Bool = true,
        unreadable: (RowID, StoreError?) -> Void
    ) throws -> RecordAnswer {
        var (usable, unused) = ([CatalogIndex](), [RecordAnswer.UnusedIndex]())
        for (name, index) in try StoreSchema.indexes(of: storedClass, in: backend) {
            switch index {
            case .success(let index): usable.append(index)
            case .failure(let error):
                unused.append(.init(name: name, reason: error.reason))
            }
        }
        let all = try backend.count(of: storedClass.table)
        let path =
            usesIndexes
            ? try RecordIndexPath.best(
                of: usable, clause.conjuncts, statement.order, wanted: wanted, all: all,
                in: backend) : nil
        var search = RecordScan(
            storedClass: storedClass, backend: backend, decoder: decoder, keys: keys)
        var isInOrder = false
        if let path {
            isInOrder = try search.look(along: path, wanted: wanted, unreadable)
        } else {
            try search.lookAtAll(unreadable)
        }
        if !isInOrder { search.found.sort { isBefore($0, $1) } }
        let rows = search.found.dropFirst(statement.offset).map(\.row)
        return RecordAnswer(
            rows: statement.limit.map { Array(rows.prefix($0)) } ?? rows,
            plan: plan(path, search, isInOrder: isInOrder), unusedIndexes: unused)
    }

    /// How many records suffice; `nil` for any number.
    private var wanted: Int? {
        guard let limit = statement.limit else { return nil }
        let (sum, overflows) = limit.addingReportingOverflow(statement.offset)
        return overflows ? nil : sum
    }

    /// What a record is sorted by; `nil` if it does not meet the condition.
    private func keys(of fields: [DecodedField]) -> [FieldValue]? {
        func value(_ name: String) -> FieldValue {
            fields.first { $0.name == name }?.value ?? .none
        }
        guard clause.accepts(value) else { return nil }
        return statement.order.map { value($0.name.text) }
    }

    private func isBefore(_ one: RecordScan.Found, _ other: RecordScan.Found) -> Bool {
        for (index, order) in statement.order.enumerated() {
            let place = one.keys[index].place(before: other.keys[index])
            if place != 0 { return order.isDescending ? place > 0 : place < 0 }
        }
        return one.row < other.row
    }

    private func plan(
        _ path: RecordIndexPath?, _ search: RecordScan, isInOrder: Bool
    ) -> QueryPlan {
        var steps: [QueryPlan.Step] = []
        var left = search.found.count
        func add(_ action: QueryPlan.Step.Action, _ rows: Int, about: Int? = nil) {
            steps.append(.init(action: action, estimatedRows: about, rows: rows))
        }
        if let path {
            add(
                .index(
                    name: path.index.name, className: storedClass.name, range: path.text,
                    isInOrder: isInOrder), search.looked, about: path.estimatedRows)
        } else {
            add(.scan(className: storedClass.name), search.looked)
        }
        if case .constant(true) = clause {
        } else {
            add(.filter(condition: clause.text, makesObjects: false), left)
        }
        if !statement.order.isEmpty, !isInOrder {
            let keys = statement.order.map { $0.name.text + ($0.isDescending ? " descending" : "") }
            add(.sort(keys: keys, keeping: wanted), left)
        }
        if statement.offset > 0 {
            left = max(left - statement.offset, 0)
            add(.offset(statement.offset), left)
        }
        if let limit = statement.limit { add(.limit(limit), min(left, limit)) }
        return QueryPlan(steps: steps, objectsMade: nil)
    }
}
