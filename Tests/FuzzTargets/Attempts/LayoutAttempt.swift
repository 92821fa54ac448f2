import Cabinet
import CabinetMemory
import TrustSupport

/// What a catalog says of the layouts of a class, up to the first 0; behind it, a record of that
/// class.
enum LayoutAttempt {
    private static let table: TableNumber = 2
    static let classNumber: UInt8 = 1

    static func run(_ bytes: UnsafeRawBufferPointer) {
        let text = bytes.prefix { $0 != 0 }
        let record = UnsafeRawBufferPointer(rebasing: bytes[text.endIndex...].dropFirst())
        run(["layouts.\(classNumber)": UnsafeRawBufferPointer(rebasing: text)], record)
    }

    /// Reads a record of a class of which the catalog has `entries`.
    static func run(_ entries: [String: UnsafeRawBufferPointer], _ record: UnsafeRawBufferPointer) {
        do {
            let backend = try store(entries, record)
            try readByCatalog(backend, record)
            try readByClass(backend)
        } catch {
            preconditionFailure("A store in memory takes everything: \(error)")
        }
    }

    private static func store(
        _ entries: [String: UnsafeRawBufferPointer], _ record: UnsafeRawBufferPointer
    ) throws(BackendError) -> MemoryBackend {
        let backend = MemoryBackend()
        let batch = backend.makeBatch()
        try batch.define(
            TableDefinition(
                number: table, kind: .record, name: Bookshop.bookName, classNumber: classNumber))
        for (name, value) in entries {
            try Array(name.utf8).withUnsafeBufferPointer { key throws(BackendError) in
                try batch.put(value, for: UnsafeRawBufferPointer(key), in: .catalog)
            }
        }
        batch.beginRecord(RowID.first, in: table).writeRawBytes(record)
        try batch.endRecord()
        _ = try backend.commit(batch)
        return backend
    }

    /// As a program does that has none of the classes.
    private static func readByCatalog(
        _ backend: MemoryBackend, _ record: UnsafeRawBufferPointer
    ) throws {
        let schema = try StoreSchema(backend)
        guard let known = schema[classNumber] else { preconditionFailure("There is a class") }
        for layout in known.layouts {
            for field in layout.fields ?? [] { precondition(!field.type.isEmpty) }
        }
        do throws(StoreError) {
            let decoded = try RecordDecoder(schema).decode(record, row: RowID.first, of: known)
            precondition(decoded.surplusBytes <= record.count)
        } catch {
            precondition(!error.description.isEmpty)
        }
    }

    /// As a program does whose class has other fields than the record.
    private static func readByClass(_ backend: MemoryBackend) throws {
        do {
            let store = try Store(backend: backend, classes: Bookshop.classes)
            try Bookshop.readBooks(in: store)
        } catch is StoreError {
        } catch is DataBufferError {
        }
    }
}
