import CabinetBackend

/// One operation of a batch with bytes of its own, so that a faulty engine can alter it.
enum Change {
    case putRow(TableNumber, RowID, [UInt8])
    case deleteRow(TableNumber, RowID)
    case putKey(TableNumber, [UInt8], [UInt8])
    case deleteKey(TableNumber, [UInt8])
    case define(TableDefinition)
    case drop(TableNumber)
    case note(UInt8, [UInt8])
    /// One that may be skipped: left out.
    case unknown

    init(_ operation: Operation) {
        switch operation {
        case .putRow(let table, let row, let stored):
            self = .putRow(table, row, Array(stored.dropLast(4)))
        case .deleteRow(let table, let row): self = .deleteRow(table, row)
        case .putKey(let table, let key, let stored):
            self = .putKey(table, Array(key), Array(stored.dropLast(4)))
        case .deleteKey(let table, let key): self = .deleteKey(table, Array(key))
        case .define(let definition): self = .define(definition)
        case .drop(let table): self = .drop(table)
        case .note(let tag, let bytes): self = .note(tag, Array(bytes))
        case .unknown: self = .unknown
        }
    }

    func write(to batch: WriteBatch) throws(BackendError) {
        switch self {
        case .putRow(let table, let row, let value):
            value.withUnsafeBytes { batch.beginRecord(row, in: table).writeRawBytes($0) }
            try batch.endRecord()
        case .deleteRow(let table, let row): try batch.deleteRow(row, in: table)
        case .putKey(let table, let key, let value):
            let key = Bytes(key)
            let value = Bytes(value)
            defer { withExtendedLifetime((key, value)) {} }
            try batch.put(value.bytes, for: key.bytes, in: table)
        case .deleteKey(let table, let key):
            let key = Bytes(key)
            defer { withExtendedLifetime(key) {} }
            try batch.deleteKey(key.bytes, in: table)
        case .define(let definition): try batch.define(definition)
        case .drop(let table): try batch.drop(table)
        case .note(let tag, let bytes):
            let bytes = Bytes(bytes)
            defer { withExtendedLifetime(bytes) {} }
            try batch.note(tag, bytes.bytes)
        case .unknown: return
        }
    }
}

/// Bytes at an address that lives as long as this; keep it with `withExtendedLifetime`.
final class Bytes {
    let bytes: UnsafeRawBufferPointer

    init(_ content: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(content.count, 1), alignment: 1)
        copy.copyBytes(from: content)
        bytes = UnsafeRawBufferPointer(start: copy.baseAddress, count: content.count)
    }

    deinit { bytes.baseAddress?.deallocate() }
}
