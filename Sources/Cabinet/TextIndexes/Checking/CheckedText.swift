import CabinetBackend
import CabinetTextSearch

/// A text index that is compared with its records.
struct CheckedText {
    /// Calls `body` with the text of a record; with `nil` for one without, and not at all if there is no
    /// such object.
    typealias Reading = (
        _ record: UnsafeRawBufferPointer, _ row: RowID,
        _ body: (UnsafeBufferPointer<UInt8>?) throws -> Void
    ) throws -> Void

    let className: String
    let name: String
    /// The table of the records, and that of the index.
    let records: TableNumber
    let table: TableNumber
    let tokenizer: Tokenizer
    let read: Reading
}

extension CheckedText {
    init(_ text: ClassText, _ table: TableNumber, in store: Store) {
        let storedClass = text.storedClass
        let candidate = Candidate(store, store.fields(of: storedClass), ofRecords: true)
        self.init(
            className: storedClass.name, name: text.name, records: storedClass.table, table: table,
            tokenizer: text.index.tokenizer
        ) { record, row, body in
            guard try candidate.take(record, at: row) else { return }
            try text.source.withText(of: candidate, body)
        }
    }
}

extension CheckedText {
    /// Compares the index with its records as of `reader`.
    func check(_ reader: any BackendReader) throws -> any StepwiseCheck {
        do {
            return try TextCheck(self, reader)
        } catch let error as DataBufferError {
            return ImpossibleCheck(
                GraphFinding(.damage, className: className, field: name, reason: "\(error)"))
        }
    }
}
