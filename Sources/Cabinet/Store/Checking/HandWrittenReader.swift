import CabinetBackend

/// Reads the records that classes of a store wrote by hand, in the store's domain but apart from
/// its objects: another store over the same backend reads them, and saves nothing.
final class HandWrittenReader {
    typealias ClassRow = WrittenReferences.Target

    /// What a run of records held.
    struct Findings: Sendable {
        var owners: [GraphCheck.Owner] = []
        var unreadable: [CheckFinding] = []
        /// Records that only a newer version of the class can read, or one that refers to classes
        /// that are not registered.
        var unread = 0
        /// How many records there were, readable or not.
        var count = 0
    }

    private let scratch: Store
    private let decoder: RecordDecoder
    private let buffer = DataBuffer()
    /// The classes that have such records.
    let storedClasses: [StoredClass]

    /// `nil` if no class of `store` can have such records.
    init?(for store: Store, _ schema: StoreSchema) throws {
        let types = store.classes.filter { $0.definition != nil }.map(\.type)
        let writing = Set(
            schema.classes.lazy.filter { storedClass in
                storedClass.problem == nil && storedClass.layouts.allSatisfy { $0.fields == nil }
                    || storedClass.layouts.contains { $0.fields == nil }
            }.map(\.name))
        guard store.classes.contains(where: { $0.definition != nil && writing.contains($0.name) })
        else { return nil }
        scratch = try Store(
            backend: store.backend, reader: nil, classes: types, migrations: [],
            versioning: store.codec.versioning, log: .none, parts: store.parts)
        decoder = RecordDecoder(schema)
        storedClasses = scratch.classes.filter { writing.contains($0.name) }
    }

    /// Reads what is left of `run`, records of `storedClass`.
    func read(_ run: RecordRun, of storedClass: StoredClass) throws -> Findings {
        var findings = Findings()
        while let (row, record) = run.next() {
            findings.count += 1
            guard isHandWritten(record, storedClass) else { continue }
            do {
                guard let references = try references(in: record, row, storedClass) else {
                    findings.unread += 1
                    continue
                }
                findings.owners.append(
                    GraphCheck.Owner(
                        classRow: ClassRow(classNumber: storedClass.number, row: row),
                        references: references))
            } catch BackendError.closed {
                throw BackendError.closed
            } catch {
                findings.unreadable.append(
                    CheckFinding(
                        .unreadableRecord, className: storedClass.name, row: row, reason: "\(error)"
                    ))
            }
        }
        return findings
    }

    /// Looks again at a record that seemed wrong.
    func confirmed(
        _ suspect: GraphCheck.Suspect, of owner: ClassRow, _ referrers: SavedReferrers?
    ) throws -> [GraphCheck.Confirmed] {
        guard let storedClass = storedClasses.first(where: { $0.number == owner.classNumber })
        else { return [] }
        let look = SteadyLook(backend: scratch.backend, table: storedClass.table, row: owner.row)
        return try GraphCheck.confirmed(suspect, by: look, referrers, owner) { record in
            do {
                return try references(in: record, owner.row, storedClass) ?? []
            } catch is StoreError {
                return []
            }
        }
    }

    private func isHandWritten(_ record: UnsafeRawBufferPointer, _ storedClass: StoredClass) -> Bool
    {
        guard let storedClass = decoder.schema[storedClass.number] else { return false }
        return decoder.isHandWritten(record, of: storedClass)
    }

    /// What a record refers to; `nil` if this program cannot know.
    private func references(
        in record: UnsafeRawBufferPointer, _ row: RowID, _ storedClass: StoredClass
    ) throws -> [RecordDecoder.FoundReference]? {
        let object: StoredObject
        do {
            object = try scratch.copy(of: record, at: row, of: storedClass, by: buffer)
        } catch StoreError.newerVersion {
            return nil
        } catch StoreError.classNotRegistered {
            return nil
        }
        return scratch.targets(of: object, inAllClasses: true).map { classRow in
            RecordDecoder.FoundReference(
                field: nil,
                target: FieldValue.Reference(
                    className: decoder.schema[classRow.classNumber]?.name,
                    classNumber: classRow.classNumber, row: classRow.row),
                isKept: false)
        }
    }
}
