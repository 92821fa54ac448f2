import CabinetBackend

@testable import CabinetTokyo

/// Short ways to say what a test does with a backend.
extension Backend {
    func put(_ text: String, at row: RowID, in table: TableNumber) throws -> CommitNumber {
        let batch = makeBatch()
        try batch.put(text, at: row, in: table)
        return try commit(batch)
    }
}

/// Short ways to read.
extension BackendReader {
    func text(at row: RowID, in table: TableNumber) throws -> String? {
        let buffer = DataBuffer()
        guard try value(of: row, in: table, into: buffer) else { return nil }
        return buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    func text(forKey key: String, in table: TableNumber) throws -> String? {
        let buffer = DataBuffer()
        let found = try Array(key.utf8).withUnsafeBytes { bytes throws in
            try value(forKey: bytes, in: table, into: buffer)
        }
        return found ? buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } : nil
    }

    func rows(in table: TableNumber) throws -> [RowID: String] {
        var found: [RowID: String] = [:]
        let cursor = try records(in: table)
        let run = RecordRun()
        while try cursor.next(run) {
            while let (row, value) = run.next() {
                precondition(found[row] == nil, "row \(row) was met twice")
                found[row] = String(decoding: value, as: UTF8.self)
            }
        }
        return found
    }

    func keys(
        in table: TableNumber, range: KeyRange = .everything, descending: Bool = false
    ) throws -> [String] {
        var found: [String] = []
        let cursor = try entries(in: table, range: range, descending: descending)
        let run = EntryRun()
        while try cursor.next(run) {
            while let (key, _) = run.next() { found.append(String(decoding: key, as: UTF8.self)) }
        }
        return found
    }
}

extension WriteBatch {
    func put(_ text: String, at row: RowID, in table: TableNumber) throws {
        let buffer = beginRecord(row, in: table)
        Array(text.utf8).withUnsafeBytes { buffer.writeRawBytes($0) }
        try endRecord()
    }

    func put(_ text: String, forKey key: String, in table: TableNumber) throws {
        try Array(key.utf8).withUnsafeBytes { key throws in
            try Array(text.utf8).withUnsafeBytes { value throws in
                try put(value, for: key, in: table)
            }
        }
    }

    func delete(key: String, in table: TableNumber) throws {
        try Array(key.utf8).withUnsafeBytes { try deleteKey($0, in: table) }
    }
}

/// The names of the runs of ordered tables in a store's directory.
func runNames(in path: String) -> [String] {
    (try? SystemFiles().list(path).filter { $0.hasSuffix(".run") }) ?? []
}

extension TableDefinition {
    static let song = TableDefinition(
        number: 2, kind: .record, name: "Song", classNumber: 1, classVersion: 4)
    static let byTitle = TableDefinition(number: 3, kind: .ordered, name: "Song.1")
}
