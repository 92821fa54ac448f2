import Cabinet

/// A backend's records as they lie there: evidence that does not come from the store under test.
extension Backend {
    /// The number of the table of that name.
    func table(_ name: String) throws -> TableNumber? {
        try tables().first { $0.name == name }?.number
    }

    /// The bytes of a record; `nil` if there is none.
    func record(_ row: RowID, of name: String) throws -> [UInt8]? {
        guard let table = try table(name) else { return nil }
        let buffer = DataBuffer()
        guard try value(of: row, in: table, into: buffer) else { return nil }
        return buffer.withUnsafeBytes { [UInt8]($0) }
    }

    /// Puts a record there, whatever its bytes; `nil` removes it.
    func put(_ bytes: [UInt8]?, at row: RowID, of name: String) throws {
        guard let table = try table(name) else { throw StoreError.classNotRegistered(name) }
        let batch = makeBatch()
        if let bytes {
            let buffer = batch.beginRecord(row, in: table)
            bytes.withUnsafeBytes { buffer.writeRawBytes($0) }
            try batch.endRecord()
        } else {
            try batch.deleteRow(row, in: table)
        }
        try commit(batch)
    }
}

extension String {
    /// The text as records have it: its length in four bytes, then UTF-8.
    var counted: [UInt8] { [UInt8(utf8.count), 0, 0, 0] + Array(utf8) }
}

/// All messages that a log sink got.
final class Messages: @unchecked Sendable {
    // Guarded by the tests themselves, which log from one thread.
    private(set) var all: [String] = []

    var sink: LogSink { LogSink { level, message in self.all.append("\(level): \(message)") } }
}
