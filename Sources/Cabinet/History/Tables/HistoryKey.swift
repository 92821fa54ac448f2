import CabinetBackend

/// The keys of entries of ``HistoryTable``s: all numbers with the highest byte first, so that they are in the
/// order of the commits, and those of rows in the order of the rows.
///
/// | entry | key | value |
/// |---|---|---|
/// | commit | commit (8) | time (8), author (4), notes: tag (1), length (4), bytes each; little-endian |
/// | former | commit (8), table (2), row (4) or name | 0: nothing stood there; 1 and the value; it is not known: 2, or 3 and the value that stands there since, or 4 if nothing does |
/// | table | commit (8), table (2) | 2: the commit has changed rows, and it is not known which; read, not written any more |
/// | of `rows` | table (2) | 1: commits have said what they have replaced in its rows |
/// | of `rows` | table (2), row (4) or name, commit (8) | ``LeftRecord``, or empty |
enum HistoryKey {
    static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    static func commit(_ commit: CommitNumber) -> [UInt8] { bytes(commit.rawValue) }

    static func place(_ table: TableNumber, _ row: RowID) -> [UInt8] {
        bytes(table.rawValue) + bytes(row.rawValue)
    }

    /// In `rows`.
    static func kept(_ table: TableNumber) -> [UInt8] { bytes(table.rawValue) }

    static func place(ofName name: [UInt8]) -> [UInt8] {
        bytes(TableNumber.namedBuffers.rawValue) + name
    }

    /// What a key of an entry stands for.
    enum Content {
        case commit
        case table(TableNumber)
        case row(TableNumber, RowID)
        case name([UInt8])
    }

    /// `nil` for bytes that are no such key.
    static func read(_ key: UnsafeRawBufferPointer) -> (commit: CommitNumber, content: Content)? {
        guard key.count >= 8 else { return nil }
        let commit = CommitNumber(number(key, at: 0, UInt64.self))
        if key.count == 8 { return (commit, .commit) }
        guard key.count >= 10 else { return nil }
        let table = TableNumber(number(key, at: 8, UInt16.self))
        if table == .namedBuffers { return (commit, .name([UInt8](key.dropFirst(10)))) }
        if key.count == 10 { return (commit, .table(table)) }
        guard key.count == 14 else { return nil }
        return (commit, .row(table, RowID(number(key, at: 10, UInt32.self))))
    }

    /// The commit that a key of `rows` ends with.
    static func lastCommit(_ key: UnsafeRawBufferPointer) -> CommitNumber? {
        key.count < 8 ? nil : CommitNumber(number(key, at: key.count - 8, UInt64.self))
    }

    /// What a key of `rows` stands for; `nil` for one of another kind.
    static func readRow(_ key: UnsafeRawBufferPointer) -> (row: RowID, commit: CommitNumber)? {
        guard key.count == 14, let commit = lastCommit(key) else { return nil }
        return (RowID(number(key, at: 2, UInt32.self)), commit)
    }

    private static func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, _ type: Number.Type
    ) -> Number {
        Number(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
}

/// What an entry of history says stood in a place.
enum HistoryValue {
    static let absent: [UInt8] = [0]
    static let unknown: [UInt8] = [2]

    /// - Parameter stored: a value with its CRC behind it; `nil`: nothing stood there.
    static func former(_ stored: UnsafeRawBufferPointer?) -> [UInt8] {
        stored.map { [1] + $0.dropLast(Operation.checksumSize) } ?? absent
    }

    /// It is not known what stood there, but what the commit has left.
    /// - Parameter stored: as of ``former(_:)``.
    static func unknown(leaving stored: UnsafeRawBufferPointer?) -> [UInt8] {
        stored.map { [3] + $0.dropLast(Operation.checksumSize) } ?? [4]
    }

    /// What a value says; `nil` within: nothing stood there. `nil`: it is not known.
    static func read(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer?? {
        switch value.first {
        case 0: .some(nil)
        case 1: .some(UnsafeRawBufferPointer(rebasing: value.dropFirst()))
        default: nil
        }
    }

    /// What a value says that the commit has replaced, and what it has left where it does not say that; `nil`:
    /// the next change of the row says it.
    static func change(
        _ value: UnsafeRawBufferPointer
    ) -> (former: FormerRecord, new: FormerRecord?) {
        guard let read = read(value) else { return (.unknown, readLeft(value)) }
        return (FormerRecord(read.map { [UInt8]($0) }), nil)
    }

    /// What a value says that the commit has left, where it does not say what stood there; `nil`: that is not
    /// known either, or the next change says it.
    static func readLeft(_ value: UnsafeRawBufferPointer) -> FormerRecord? {
        switch value.first {
        case 3: .record([UInt8](value.dropFirst()))
        case 4: .absent
        default: nil
        }
    }
}
