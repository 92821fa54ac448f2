import CabinetBackend

/// What a ``SealedScene`` has in its tables 2, of rows, and 3, of keys, and as named buffers.
struct SealedContent: Equatable {
    var rows: [RowID: [UInt8]] = [:]
    var keys: [[UInt8]: [UInt8]] = [:]
    var names: [[UInt8]: [UInt8]] = [:]

    init() {}

    /// As walks find it.
    init(_ reader: any BackendReader) throws {
        let (cursor, run) = (try reader.records(in: 2), RecordRun())
        while try cursor.next(run) {
            while let (row, value) = run.next() { rows[row] = Array(value) }
        }
        keys = try Self.entries(reader, 3)
        names = try Self.entries(reader, .namedBuffers)
    }

    private static func entries(
        _ reader: any BackendReader, _ table: TableNumber
    ) throws -> [[UInt8]: [UInt8]] {
        var met: [[UInt8]: [UInt8]] = [:]
        let cursor = try reader.entries(in: table, range: .everything, descending: false)
        let run = EntryRun()
        while try cursor.next(run) {
            while let (key, value) = run.next() { met[Array(key)] = Array(value) }
        }
        return met
    }

    /// Whether looks at each row and key find it, too.
    func isFound(in reader: any BackendReader) throws -> Bool {
        let buffer = DataBuffer()
        for (row, value) in rows {
            guard try reader.value(of: row, in: 2, into: buffer),
                buffer.withUnsafeBytes({ $0.elementsEqual(value) })
            else { return false }
        }
        for (table, entries) in [(TableNumber(3), keys), (.namedBuffers, names)] {
            for (key, value) in entries {
                let isThere = try key.withUnsafeBytes {
                    try reader.value(forKey: $0, in: table, into: buffer)
                }
                guard isThere, buffer.withUnsafeBytes({ $0.elementsEqual(value) }) else {
                    return false
                }
            }
        }
        return try reader.count(of: 2) == rows.count
    }
}
