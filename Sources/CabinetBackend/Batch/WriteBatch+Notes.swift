import CChecksum

extension WriteBatch {
    /// The longest note in bytes: 64 KiB.
    public static let noteLimit = 1 << 16

    /// Adds a note, which says something of the commit and changes no table: the name of a step of
    /// undo, for example. `tag` says what kind of note it is; the caller chooses its values.
    ///
    /// A commit may have any number of notes. An engine keeps them in their order, among the
    /// changes, for as long as it keeps the commit itself in its log. A batch of notes alone is a
    /// commit with a number of its own.
    ///
    /// - Throws: ``BackendError/tooLarge(limit:)`` for more than ``noteLimit`` bytes; nothing was
    ///   added. Otherwise what the sink throws for a full chunk.
    public func note(_ tag: UInt8, _ bytes: UnsafeRawBufferPointer) throws(BackendError) {
        guard bytes.count <= Self.noteLimit else { throw .tooLarge(limit: Self.noteLimit) }
        arena.writeUInt8(Operation.Kind.note)
        arena.writeUInt16(0)
        arena.writeUInt32(UInt32(bytes.count + 1))
        arena.writeUInt8(tag)
        arena.writeRawBytes(bytes)
        operationCount += 1
        noteCount += 1
        try handOverIfFull()
    }

    /// Adds an operation of a kind that a reader may skip: one from ``Operation/firstSkippable``
    /// on. It is counted as a note.
    package func addSkippable(
        _ kind: UInt8, in table: TableNumber, _ bytes: UnsafeRawBufferPointer
    ) throws(BackendError) {
        precondition(kind >= Operation.firstSkippable, "A reader could not skip that kind.")
        arena.writeUInt8(kind)
        arena.writeUInt16(table.rawValue)
        arena.writeUInt32(UInt32(bytes.count))
        arena.writeRawBytes(bytes)
        operationCount += 1
        noteCount += 1
        try handOverIfFull()
    }

    /// Says of a row what the batch replaces there: an operation that a reader gets as ``FormerValue``.
    /// - Parameter value: what stands in the row; `nil`: nothing.
    package func addFormer(
        _ value: UnsafeRawBufferPointer?, of row: RowID, in table: TableNumber
    ) throws(BackendError) {
        let size = value.map { $0.count + Operation.checksumSize } ?? 0
        arena.writeUInt8(Operation.former)
        arena.writeUInt16(table.rawValue)
        arena.writeUInt32(UInt32(5 + size))
        arena.writeUInt8(1)
        arena.writeUInt32(row.rawValue)
        if let value {
            arena.writeRawBytes(value)
            var sums = RowSums()
            withUnsafeBytes(of: 0) { none in
                guard let bytes = value.baseAddress ?? none.baseAddress else { return }
                arena.writeUInt32(sums.sum(of: row, bytes, value.count).sum)
            }
        }
        operationCount += 1
        noteCount += 1
        try handOverIfFull()
    }

    /// Likewise of a key of a named or ordered table.
    package func addFormer(
        _ value: UnsafeRawBufferPointer?, of key: UnsafeRawBufferPointer, in table: TableNumber
    ) throws(BackendError) {
        let size = value.map { $0.count + Operation.checksumSize } ?? 0
        arena.writeUInt8(Operation.former)
        arena.writeUInt16(table.rawValue)
        arena.writeUInt32(UInt32(5 + key.count + size))
        arena.writeUInt8(2)
        arena.writeUInt32(UInt32(key.count))
        arena.writeRawBytes(key)
        if let value {
            arena.writeRawBytes(value)
            let both = UnsafeRawBufferPointer(
                rebasing: UnsafeRawBufferPointer(arena.memory).suffix(key.count + value.count))
            arena.writeUInt32(
                both.baseAddress.map { cabinet_crc32c(0, $0, both.count) } ?? 0)
        }
        operationCount += 1
        noteCount += 1
        try handOverIfFull()
    }

    /// Says of a table of rows that nothing stood where the batch leaves a record and says nothing else of it.
    package func addNewRows(in table: TableNumber) throws(BackendError) {
        arena.writeUInt8(Operation.former)
        arena.writeUInt16(table.rawValue)
        arena.writeUInt32(1)
        arena.writeUInt8(FormerValue.newRows)
        operationCount += 1
        noteCount += 1
        try handOverIfFull()
    }
}
