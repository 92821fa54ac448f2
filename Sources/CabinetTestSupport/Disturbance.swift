import CabinetBackend

/// Changes of a few rows or keys of one table, and how they are taken back.
struct Disturbance {
    private let table: TableNumber
    private let isRecords: Bool
    private var rows: [(row: RowID, value: [UInt8]?)] = []
    private var keys: [(key: [UInt8], value: [UInt8]?)] = []

    /// Rows that no rule uses, and keys.
    private static let spareRow: RowID = 5_000_000
    private static let spareKey: [UInt8] = [0, 3, 1, 4, 1, 5]

    /// Looks up, in `backend`, what is going to be changed: the first rows of the table and `row`,
    /// or the first keys and some behind them, and one that is not there.
    init(
        of table: TableNumber, _ row: RowID?, in backend: any Backend
    ) throws(BackendError) {
        self.table = table
        let kind =
            table < .firstFree
            ? TableKind.named : try backend.tables().first { $0.number == table }?.kind
        isRecords = kind == .record
        guard let kind else { return }
        if kind == .record {
            let run = RecordRun()
            if try backend.records(in: table).next(run) {
                while rows.count < 6, let (row, value) = run.next() {
                    rows.append((row, Array(value)))
                }
            }
            for other in [row, Self.spareRow] {
                guard let other, !rows.contains(where: { $0.row == other }) else { continue }
                let buffer = DataBuffer()
                let isThere = try backend.value(of: other, in: table, into: buffer)
                rows.append((other, isThere ? buffer.withUnsafeBytes { Array($0) } : nil))
            }
        } else {
            let run = EntryRun()
            let cursor = try backend.entries(in: table, range: .everything, descending: false)
            if try cursor.next(run) {
                var index = 0
                while keys.count < 100, let (key, value) = run.next() {
                    if index < 12 || index % 13 == 0 { keys.append((Array(key), Array(value))) }
                    index += 1
                }
            }
            keys.append((Self.spareKey, nil))
        }
    }

    /// Deletes every second row or key and replaces the others.
    func make(in backend: any Backend) throws(BackendError) {
        try write(to: backend) { index, value in
            value != nil && index % 2 == 0 ? nil : [0xEE, UInt8(index)]
        }
    }

    func takeBack(in backend: any Backend) throws(BackendError) {
        try write(to: backend) { $1 }
    }

    private func write(
        to backend: any Backend, _ value: (_ index: Int, _ before: [UInt8]?) -> [UInt8]?
    ) throws(BackendError) {
        guard !rows.isEmpty || !keys.isEmpty else { return }
        try backend.commitAll { batch throws(BackendError) in
            for (index, (row, before)) in rows.enumerated() {
                if let value = value(index, before) {
                    try batch.put(value, at: row, in: table)
                } else {
                    try batch.deleteRow(row, in: table)
                }
            }
            for (index, (key, before)) in keys.enumerated() {
                let value = value(index, before)
                try key.withUnsafeBufferPointer { key throws(BackendError) in
                    let key = UnsafeRawBufferPointer(key)
                    guard let value else { return try batch.deleteKey(key, in: table) }
                    try value.withUnsafeBufferPointer { value throws(BackendError) in
                        try batch.put(UnsafeRawBufferPointer(value), for: key, in: table)
                    }
                }
            }
        }
    }
}

extension Backend {
    /// Commits what `body` writes. If `body` throws, the batch is given up.
    func commitAll(_ body: (WriteBatch) throws(BackendError) -> Void) throws(BackendError) {
        let batch = makeBatch()
        do {
            try body(batch)
        } catch {
            discard(batch)
            throw error
        }
        try commit(batch)
    }
}
