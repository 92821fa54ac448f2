import CabinetBackend
import CabinetMemory
import Foundation

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
        guard let table = try backend.tables().first(where: { $0.kind == .record }) else {
            throw BackendError.noTable(.catalog)
        }
        return try record(table.name, row)
    }

    /// What a record holds, read without any of the classes.
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

    /// What the catalog says of a class's layouts.
    func layouts(_ number: UInt8) throws -> LayoutList {
        try CatalogLayouts(backend).saved(ofClass: number, named: "")?.list ?? LayoutList()
    }

    /// Makes the catalog say that of a class's layouts, and nothing else.
    func setLayouts(_ number: UInt8, _ list: LayoutList) throws {
        for key in try catalogKeys() where isEntry(key, ofClass: number) {
            try setEntry(key, nil)
        }
        for layout in list.layouts {
            try setEntry("layout/\(number)/\(layout.number)", bytes(layout.write))
        }
        try setEntry("relations/\(number)/1", bytes(SavedLayouts(list: list).writeRelations))
    }

    private func bytes(_ write: (DataBuffer) -> Void) -> [UInt8] {
        let buffer = DataBuffer()
        write(buffer)
        return buffer.withUnsafeBytes { Array($0) }
    }

    private func isEntry(_ key: String, ofClass number: UInt8) -> Bool {
        key.hasPrefix("layout/\(number)/") || key.hasPrefix("relations/\(number)/")
    }

    /// All keys of the catalog, in order.
    func catalogKeys() throws -> [String] {
        var keys: [String] = []
        let run = EntryRun()
        let cursor = try backend.entries(in: .catalog, range: .everything, descending: false)
        while try cursor.next(run) {
            while let (key, _) = run.next() { keys.append(String(decoding: key, as: UTF8.self)) }
        }
        return keys.sorted()
    }

    /// The bytes of an entry of the catalog; `nil` if there is none.
    func entry(_ key: String) throws -> [UInt8]? { try backend.catalogEntry(key) }

    func setEntry(_ key: String, _ bytes: [UInt8]?) throws {
        let batch = backend.makeBatch()
        try Array(key.utf8).withUnsafeBytes { key throws in
            guard let bytes else { return try batch.deleteKey(key, in: .catalog) }
            try bytes.withUnsafeBytes { try batch.put($0, for: key, in: .catalog) }
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
