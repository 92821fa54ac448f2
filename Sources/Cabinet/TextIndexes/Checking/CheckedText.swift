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
    /// - Returns: `nil` for an index that is not complete, or not the store's, as of `reader`.
    init?(_ text: ClassText, _ reader: any BackendReader, in store: Store) throws {
        let storedClass = text.storedClass
        let entry = try reader.derivedEntries(ofClass: storedClass.number)[text.kind, text.name]
        guard let table = text.table, text.isComplete, let entry, entry == text.entry else {
            return nil
        }
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
