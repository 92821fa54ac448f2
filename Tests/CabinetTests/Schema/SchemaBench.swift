import CabinetMemory
import Foundation
import Testing

@testable import Cabinet

/// A store in memory whose catalog and records a test may look at and change.
struct SchemaBench {
    let backend = MemoryBackend()

    func open(_ classes: [StoredObject.Type]) throws -> Store {
        try Store(backend: backend, classes: classes)
    }

    func decoder() throws -> RecordDecoder { RecordDecoder(try StoreSchema(backend)) }

    /// The bytes of a record.
    func record(_ name: String, _ row: RowID) throws -> [UInt8] {
        guard let table = try backend.tables().first(where: { $0.name == name })?.number else {
            return []
        }
        let buffer = DataBuffer()
        _ = try backend.value(of: row, in: table, into: buffer)
        return buffer.withUnsafeBytes { Array($0) }
    }

    /// The bytes of a record of the only class.
    func record(_ row: RowID) throws -> [UInt8] {
        let table = try #require(try backend.tables().first { $0.kind == .record })
        return try record(table.name, row)
    }

    /// What a record holds for one who has none of the classes.
    func decode(_ name: String, _ row: RowID) throws -> DecodedRecord {
        let bytes = try record(name, row)
        return try decode(bytes, row, name, try decoder())
    }

    func decode(
        _ bytes: [UInt8], _ row: RowID, _ name: String, _ decoder: RecordDecoder
    ) throws -> DecodedRecord {
        guard let storedClass = decoder.schema[name] else {
            throw StoreError.classNotRegistered(name)
        }
        return try bytes.withUnsafeBytes { bytes in
            try decoder.decode(bytes, row: row, of: storedClass)
        }
    }

    func catalog(_ key: String) throws -> String {
        String(decoding: try backend.catalogEntry(key) ?? [], as: UTF8.self)
    }

    func setCatalog(_ key: String, _ text: String) throws {
        let batch = backend.makeBatch()
        try Array(key.utf8).withUnsafeBytes { key throws in
            try Array(text.utf8).withUnsafeBytes { value throws in
                try batch.put(value, for: key, in: .catalog)
            }
        }
        try backend.commit(batch)
    }

    /// Replaces the bytes of a record.
    func setRecord(_ name: String, _ row: RowID, _ bytes: [UInt8]) throws {
        guard let table = try backend.tables().first(where: { $0.name == name })?.number else {
            return
        }
        let batch = backend.makeBatch()
        let buffer = batch.beginRecord(row, in: table)
        bytes.withUnsafeBytes { buffer.writeRawBytes($0) }
        try batch.endRecord()
        try backend.commit(batch)
    }

    func delete(_ name: String, _ row: RowID) throws {
        guard let table = try backend.tables().first(where: { $0.name == name })?.number else {
            return
        }
        let batch = backend.makeBatch()
        try batch.deleteRow(row, in: table)
        try backend.commit(batch)
    }
}

extension DecodedRecord {
    subscript(name: String) -> FieldValue? { fields?.first { $0.name == name }?.value }
}
