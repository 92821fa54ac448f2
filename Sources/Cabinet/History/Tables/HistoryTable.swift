import CabinetBackend

/// One of the tables that keep what commits have replaced, once the log need not: an ordered table of entries in
/// the order of the commits, and one of the rows with theirs. The catalog lists them.
///
/// `Sendable`: a value.
struct HistoryTable: Hashable, Sendable {
    let number: UInt32
    /// The table holds what the commits after this one have replaced …
    let after: CommitNumber
    /// … up to this one …
    var last: CommitNumber
    /// … which is of that line.
    var line: UInt64
    /// When that was made, in microseconds since 1970.
    var time: UInt64
    /// How many bytes keys and values take.
    var size: UInt64

    /// What a table holds before the next one is begun: 64 MiB.
    static let sizeLimit: UInt64 = 64 << 20

    var position: ChangePosition { ChangePosition(line: line, commit: last) }

    // MARK: Names

    private static let prefix = Array(CatalogName.historyTables.utf8)

    /// The key of its entry in the catalog.
    var key: [UInt8] { Self.prefix + Array("\(number)".utf8) }

    /// The tables.
    var entriesName: String { "History.\(number)" }
    var rowsName: String { "History.\(number).rows" }

    // MARK: The entry in the catalog

    /// Line, the two commits, time and size, UInt64 each, little-endian.
    var value: [UInt8] {
        [line, after.rawValue, last.rawValue, time, size].flatMap { number in
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
    }

    /// A table of nothing yet.
    init(_ number: UInt32, after: CommitNumber) {
        (self.number, self.after, last) = (number, after, after)
        (line, time, size) = (0, 0, 0)
    }

    /// `nil` for another entry, or one that cannot be understood.
    init?(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard key.starts(with: Self.prefix), value.count == 40,
            let text = String(validating: key.dropFirst(Self.prefix.count), as: UTF8.self),
            let number = UInt32(text)
        else { return nil }
        func word(_ index: Int) -> UInt64 {
            UInt64(littleEndian: value.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        self.init(number, after: CommitNumber(word(1)))
        (line, last) = (word(0), CommitNumber(word(2)))
        (time, size) = (word(3), word(4))
    }
}

extension BackendReader {
    /// The tables of history that the catalog lists, the oldest first.
    func historyTables() throws(BackendError) -> [HistoryTable] {
        var found: [HistoryTable] = []
        let cursor = try entries(in: .catalog, range: .everything, descending: false)
        let run = EntryRun(capacity: 4096)
        while try cursor.next(run) {
            while let (key, value) = run.next() {
                if let table = HistoryTable(key: key, value: value) { found.append(table) }
            }
        }
        return found.inOrder { $0.number < $1.number }
    }
}
