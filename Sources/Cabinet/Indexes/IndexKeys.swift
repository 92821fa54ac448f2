import CabinetBackend

/// Makes the keys of indexes, in memory that is used again.
final class IndexKeys {
    @exclusivity(unchecked) private var builder = OrderedKeyBuilder()
    /// The keys of an object that may have any number: in their order, each once.
    @exclusivity(unchecked) private(set) var several: [[UInt8]] = []

    /// A key, and what a table has under it.
    struct Key {
        /// With the row at its end, unless `isAlone`.
        let bytes: UnsafeRawBufferPointer
        /// Whether no other row may have the key: its row is the value then.
        let isAlone: Bool
        /// Whether the key lacks an end that was too long.
        let isCut: Bool
    }

    /// Calls `body` with the key of the object that `cursor` stands at; `nil` if it has none.
    @inline(__always)
    func withKey<Result>(
        of index: ClassIndex, _ cursor: RowCursor, _ body: (Key?) throws -> Result
    ) throws -> Result {
        guard index.asksObjects else { return try makeKey(of: index, cursor, body) }
        return try index.storedClass.context.readingAsWritten {
            try makeKey(of: index, cursor, body)
        }
    }

    @inline(__always)
    private func makeKey<Result>(
        of index: ClassIndex, _ cursor: RowCursor, _ body: (Key?) throws -> Result
    ) throws -> Result {
        if index.hasSubset, let subset = index.index.subset, try !subset(cursor.object()) {
            return try body(nil)
        }
        builder.removeAll()
        var isAlone = index.isUnique
        for append in index.appenders {
            let start = builder.size
            try append(cursor, &builder)
            if isAlone, builder.isNothing(at: start) { isAlone = false }
        }
        let isCut = builder.isCut
        return try builder.withUnsafeBytes(row: isAlone ? nil : cursor.row) {
            try body(Key(bytes: $0, isAlone: isAlone, isCut: isCut))
        }
    }

    /// Whether the object that `cursor` stands at has the key.
    func isKey(
        _ key: some Sequence<UInt8>, of index: ClassIndex, _ cursor: RowCursor
    ) throws -> Bool {
        try withKey(of: index, cursor) { $0?.bytes.elementsEqual(key) ?? false }
    }

    /// Calls `body` with each key of the object that `cursor` stands at.
    @inline(__always)
    func forEachKey(
        of index: ClassIndex, _ cursor: RowCursor, _ body: (Key) throws -> Void
    ) throws {
        guard index.isMultiple else {
            return try withKey(of: index, cursor) { if let key = $0 { try body(key) } }
        }
        try makeSeveral(of: index, cursor)
        for key in several {
            try key.withUnsafeBytes { try body(Key(bytes: $0, isAlone: false, isCut: false)) }
        }
    }

    /// Makes the keys of the object that `cursor` stands at, of an index that may have several for
    /// each: ``several``.
    func makeSeveral(of index: ClassIndex, _ cursor: RowCursor) throws {
        try index.storedClass.context.readingAsWritten { try addSeveral(of: index, cursor) }
    }

    private func addSeveral(of index: ClassIndex, _ cursor: RowCursor) throws {
        several.removeAll(keepingCapacity: true)
        let object = try cursor.object()
        if let subset = index.index.subset, !subset(object) { return }
        let row = cursor.row
        for source in index.sources {
            source.column.forEachPart(object) { part in
                builder.removeAll()
                part(&builder)
                builder.withUnsafeBytes(row: row) { several.append(Array($0)) }
            }
        }
        guard several.count > 1 else { return }
        several.sort { $0.lexicographicallyPrecedes($1) }
        var kept = 1
        for index in 1..<several.count where several[index] != several[kept - 1] {
            several[kept] = several[index]
            kept += 1
        }
        several.removeLast(several.count - kept)
    }
}

extension BackendReader {
    /// The row that has a key of a unique index, whose value it is; `nil` if none has it.
    /// - Parameter buffer: what the value is read into.
    func row(
        withKey key: [UInt8], in table: TableNumber, by buffer: DataBuffer = DataBuffer()
    ) throws(BackendError) -> RowID? {
        guard try value(forKey: key, in: table, into: buffer) else { return nil }
        return buffer.withUnsafeBytes { OrderedKey.row(of: $0) }
    }
}

/// What stands under a key of an index.
enum IndexValue {
    /// The row of an entry: its value, or the end of its key.
    @inline(__always)
    static func row(of key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> RowID? {
        value.isEmpty ? OrderedKey.row(of: key) : OrderedKey.row(of: value)
    }

    /// Calls `body` with the value of a key that has its row in it, or has not.
    static func withBytes<Result>(
        of row: RowID, isAlone: Bool, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        guard isAlone else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return try withUnsafeBytes(of: row.rawValue.bigEndian, body)
    }
}
