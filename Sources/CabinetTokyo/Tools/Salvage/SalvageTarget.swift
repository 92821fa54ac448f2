import CabinetBackend

/// The new store that a salvage fills. Not `Sendable`: it belongs to one salvage.
final class SalvageTarget {
    let backend: TokyoBackend
    private var batch: WriteBatch
    /// Whether commits of the damaged store are made one by one.
    private var makesHistory = false
    private let buffer = DataBuffer()
    /// Changes are committed when they have reached this many bytes.
    private static let step = 8 << 20

    init(_ directory: String, files: any FileLayer) throws {
        backend = try TokyoBackend(path: directory, durability: .process, files: files)
        // Two classes of a damaged store may have one number; both are worth keeping.
        backend.sharesClassNumbers = true
        batch = backend.makeBatch()
    }

    func define(_ definition: TableDefinition) throws { try batch.define(definition) }

    func put(
        _ value: UnsafeRawBufferPointer, at row: RowID, in table: TableNumber
    ) throws {
        batch.beginRecord(row, in: table).writeRawBytes(value)
        try batch.endRecord()
        try commitIfLarge()
    }

    func put(
        _ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, in table: TableNumber
    ) throws {
        try batch.put(value, for: key, in: table)
        try commitIfLarge()
    }

    func delete(row: RowID, in table: TableNumber) throws {
        try batch.deleteRow(row, in: table)
        try commitIfLarge()
    }

    func delete(key: UnsafeRawBufferPointer, in table: TableNumber) throws {
        try batch.deleteKey(key, in: table)
        try commitIfLarge()
    }

    /// The value that is there, as of the last ``commit()``: 0 if none, 1 if it is `value`, 2 if
    /// it is another.
    enum Standing { case absent, same, different }

    func standing(
        _ value: UnsafeRawBufferPointer, at row: RowID, in table: TableNumber
    ) throws -> Standing {
        guard try backend.value(of: row, in: table, into: buffer) else { return .absent }
        return buffer.withUnsafeBytes { $0.elementsEqual(value) } ? .same : .different
    }

    func standing(
        _ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, in table: TableNumber
    ) throws -> Standing {
        guard try backend.value(forKey: key, in: table, into: buffer) else { return .absent }
        return buffer.withUnsafeBytes { $0.elementsEqual(value) } ? .same : .different
    }

    /// Remembers which rows and tables must not be given out again.
    func keep(_ knowledge: SalvageKnowledge) throws {
        try commit()
        for (table, row) in knowledge.highestRows
        where knowledge.definitions[table]?.kind == .record {
            try batch.putCatalog(CatalogKey.counter(row.rawValue), for: CatalogKey.rows(table))
        }
        try batch.putCatalog(
            CatalogKey.counter(UInt32(knowledge.highestTable.rawValue)), for: CatalogKey.tables)
        try commit()
    }

    func commit() throws {
        guard !batch.isEmpty else { return }
        let full = batch
        batch = backend.makeBatch()
        try backend.commit(full)
    }

    private func commitIfLarge() throws {
        if batch.chunkSize >= Self.step, !makesHistory { try commit() }
    }

    // MARK: History

    /// The feed keeps what is committed from now on.
    func beginHistory() throws {
        try commit()
        try backend.keepChanges(
            after: backend.position(), for: SalvageKnowledge.history, limit: 1 << 30)
        makesHistory = true
    }

    func endHistory() { makesHistory = false }

    func note(_ tag: UInt8, _ bytes: UnsafeRawBufferPointer) throws { try batch.note(tag, bytes) }

    func addFormer(_ bytes: UnsafeRawBufferPointer, in table: TableNumber) throws {
        try batch.addSkippable(Operation.former, in: table, bytes)
    }

    /// Makes the commit that a frame of the damaged store ends.
    func commit(as header: FrameHeader) throws {
        if batch.isEmpty { return }
        batch.author = header.author
        backend.commitLog.givenTime = header.time
        defer { backend.commitLog.givenTime = nil }
        try commit()
    }

    func close() throws {
        backend.discard(batch)
        try backend.close()
    }
}
