import Cabinet
import CabinetBackend
import CabinetMemory
import TrustSupport

/// A layout's entry in the catalog, and what the catalog keeps for its class besides: each behind
/// its length in two bytes; then a record of the class.
enum LayoutAttempt {
    private static let table: TableNumber = 2
    private static let classNumber: UInt8 = 1

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        let layout = take(from: &rest)
        let relations = take(from: &rest)
        let entries = ["layout/\(classNumber)/1": layout, "relations/\(classNumber)/1": relations]
        do {
            let backend = try store(entries, rest)
            try readByCatalog(backend, rest)
            try readByClass(backend)
        } catch {
            preconditionFailure("A store in memory takes everything: \(error)")
        }
    }

    private static func take(from rest: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard rest.count >= 2 else { return UnsafeRawBufferPointer(rebasing: rest[..<0]) }
        let length = Int(rest[0]) | Int(rest[1]) << 8
        let end = min(2 + length, rest.count)
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[end...]) }
        return UnsafeRawBufferPointer(rebasing: rest[2..<end])
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
