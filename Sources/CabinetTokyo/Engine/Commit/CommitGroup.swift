import CabinetBackend

/// What the commits that share a sync have in the log, and not yet in the views.
struct CommitGroup {
    /// What each table gets from them.
    private var uses: [WriteBatch.TableUsage] = []
    /// A number for each row and key that they put or delete: two keys may have the same.
    private var touched: Set<UInt64> = []
    /// How many bytes of operations they have.
    private(set) var size = 0

    /// A batch of more bytes of operations shares no sync: 64 KiB.
    static let longestBatch = 64 << 10
    /// No batch is added to this many bytes: 1 MiB.
    private static let limit = 1 << 20

    var isFull: Bool { size > Self.limit }

    /// What the table gets from the group.
    func usage(of table: TableNumber) -> WriteBatch.TableUsage {
        uses.first { $0.table == table } ?? WriteBatch.TableUsage()
    }

    /// Adds a commit whose frame is in the log.
    mutating func add(_ commit: ReadyCommit) {
        size += commit.batch.chunkSize
        for use in commit.batch.usage {
            if let index = uses.firstIndex(where: { $0.table == use.table }) {
                uses[index].add(use)
            } else {
                uses.append(use)
            }
        }
        var reader = OperationReader(TokyoBackend.operations(of: commit.batch))
        while let operation = reader.next() {
            if let place = Self.place(of: operation) { touched.insert(place) }
        }
    }

    /// Whether `batch` asks for the state of a row or key that the group changes: the views do not
    /// have the answer yet.
    func decides(_ batch: WriteBatch) -> Bool {
        if batch.basis != nil {
            var reader = OperationReader(TokyoBackend.operations(of: batch))
            while let operation = reader.next() {
                if let place = Self.place(of: operation), touched.contains(place) { return true }
            }
        }
        guard let demands = batch.demands else { return false }
        return demands.rows.contains { touched.contains(Self.place(of: $0.row, in: $0.table)) }
            || demands.keys.contains { touched.contains(Self.place(of: $0.key, in: $0.table)) }
            || demands.additions.keys.contains {
                touched.contains(Self.place(of: $0.key, in: $0.table))
            }
    }

    private static func place(of operation: Operation) -> UInt64? {
        switch operation {
        case .putRow(let table, let row, _), .deleteRow(let table, let row):
            place(of: row, in: table)
        case .putKey(let table, let key, _), .deleteKey(let table, let key):
            place(of: key, in: table)
        case .define, .drop, .note, .unknown: nil
        }
    }

    private static func place(of row: RowID, in table: TableNumber) -> UInt64 {
        UInt64(table.rawValue) << 32 | UInt64(row.rawValue)
    }

    private static func place(of key: [UInt8], in table: TableNumber) -> UInt64 {
        key.withUnsafeBytes { place(of: $0, in: table) }
    }

    private static func place(of key: UnsafeRawBufferPointer, in table: TableNumber) -> UInt64 {
        1 << 48 | UInt64(table.rawValue) << 32 | UInt64(key.checksum())
    }
}
