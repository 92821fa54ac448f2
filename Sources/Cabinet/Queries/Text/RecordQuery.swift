import CabinetBackend

/// A query in text that is asked of records, by what the catalog says of their class: no class is
/// needed.
///
/// A field that a record's layout did not have counts as one without a value. `Sendable`: a value.
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
        clause = try statement.bind(fields.map(\.name)) { name in
            fields.first { $0.name == name }?.form
        }
        self.storedClass = storedClass
    }

    /// The rows of the records that the query gives, in its order, then by row.
    ///
    /// - Parameters:
    ///   - backend: where the records are.
    ///   - decoder: reads records of the class's schema.
    ///   - unreadable: called with the row of each record that cannot be read without its class,
    ///     which is left out, and with the reason; that is `nil` for one that was written by hand.
    /// - Throws: a ``BackendError``.
    package func rows(
        in backend: any BackendReader, by decoder: RecordDecoder,
        unreadable: (RowID, StoreError?) -> Void
    ) throws -> [RowID] {
        var found: [(row: RowID, keys: [FieldValue])] = []
        let run = RecordRun()
        let cursor = try backend.records(in: storedClass.table)
        while try cursor.next(run) {
            while let (row, record) = run.next() {
                do throws(StoreError) {
                    let decoded = try decoder.decode(record, row: row, of: storedClass)
                    guard let fields = decoded.fields else {
                        unreadable(row, nil)
                        continue
                    }
                    if let keys = keys(of: fields) { found.append((row, keys)) }
                } catch {
                    unreadable(row, error)
                }
            }
        }
        found.sort { isBefore($0, $1) }
        let rows = found.dropFirst(statement.offset).map(\.row)
        return statement.limit.map { Array(rows.prefix($0)) } ?? rows
    }

    /// What a record is sorted by; `nil` if it does not meet the condition.
    private func keys(of fields: [DecodedField]) -> [FieldValue]? {
        func value(_ name: String) -> FieldValue {
            fields.first { $0.name == name }?.value ?? .none
        }
        guard clause.accepts(value) else { return nil }
        return statement.order.map { value($0.name.text) }
    }

    private func isBefore(
        _ one: (row: RowID, keys: [FieldValue]), _ other: (row: RowID, keys: [FieldValue])
    ) -> Bool {
        for (index, order) in statement.order.enumerated() {
            let place = one.keys[index].place(before: other.keys[index])
            if place != 0 { return order.isDescending ? place > 0 : place < 0 }
        }
        return one.row < other.row
    }
}
