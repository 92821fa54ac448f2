import CabinetBackend

/// Looks for the referrers of one row, in saved records and without any of their classes.
///
/// Cost: a pass over all records. Not `Sendable`: it reuses its memory from record to record.
package final class ReferrerSearch {
    /// A record, and the field of it that refers to the row; `nil` in one that was written by hand.
    package struct Referrer: Hashable, Sendable {
        package let owner: FieldValue.Reference
        package let field: String?
    }

    /// Each field of each record once, by class and row.
    package private(set) var referrers: [Referrer] = []
    /// How many records may refer to the row unseen, because only their class can read them or
    /// they cannot be read at all: by storage name.
    package private(set) var unread: [String: Int] = [:]

    private typealias ClassRow = WrittenReferences.Target
    private let backend: any Backend
    private let decoder: RecordDecoder
    private let target: ClassRow

    /// Looks through `backend` for what refers to `row` of a class of `schema`; the row need not be
    /// there.
    /// - Throws: a ``BackendError``.
    package init(
        of row: RowID, in storedClass: StoreSchema.Class, _ schema: StoreSchema,
        _ backend: any Backend
    ) throws {
        self.backend = backend
        decoder = RecordDecoder(schema)
        target = ClassRow(classNumber: storedClass.number, row: row)
        let owners = try ownersByTable()
        for storedClass in schema.classes { try look(at: storedClass, owners) }
    }

    /// The referrers of the row by the table of referrers; `nil` if the table is not complete for
    /// the row's class.
    private func ownersByTable() throws -> Set<ClassRow>? {
        guard let index = try SavedReferrers(backend),
            index.complete.contains(target.classNumber)
        else { return nil }
        return Set(try index.owners(of: target))
    }

    private func look(at storedClass: StoreSchema.Class, _ owners: Set<ClassRow>?) throws {
        var found: [Referrer] = []
        let run = RecordRun()
        let cursor = try backend.records(in: storedClass.table)
        while try cursor.next(run) {
            while let (row, record) = run.next() {
                let owner = FieldValue.Reference(
                    className: storedClass.name, classNumber: storedClass.number, row: row)
                if let fields = fields(of: record, row, storedClass) {
                    found += fields.map { Referrer(owner: owner, field: $0) }
                } else if owners == nil {
                    unread[storedClass.name, default: 0] += 1
                } else if owners?.contains(ClassRow(classNumber: storedClass.number, row: row))
                    == true
                {
                    found.append(Referrer(owner: owner, field: nil))
                }
            }
        }
        referrers += found.inOrder { $0.owner.row < $1.owner.row }
    }

    /// The fields of a record that refer to the row, each once; `nil` if it cannot be read.
    private func fields(
        of record: UnsafeRawBufferPointer, _ row: RowID, _ storedClass: StoreSchema.Class
    ) -> [String]? {
        let references: [RecordDecoder.FoundReference]
        do {
            guard let found = try decoder.references(in: record, row: row, of: storedClass) else {
                return nil
            }
            references = found
        } catch { return nil }
        var fields: [String] = []
        for found in references {
            guard found.target.classNumber == target.classNumber, found.target.row == target.row,
                let field = found.field, !fields.contains(field)
            else { continue }
            fields.append(field)
        }
        return fields
    }
}
