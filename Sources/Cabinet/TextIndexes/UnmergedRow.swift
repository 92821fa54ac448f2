import CabinetBackend

/// What a text index has for a row that was changed since its segments were written: what they say of
/// the row does not count, the record itself is asked.
///
/// So a changed text costs a save one key: it has many terms, most of which no search asks for before a
/// segment is made of them.
struct UnmergedRow: Hashable {
    /// The length of the row's text in the segments; `nil` if they do not know the row.
    var segmented: Int?

    init(segmented: Int?) { self.segmented = segmented }

    /// Of the value of an entry. Of bytes that are no such value, segments may know the row.
    init(_ value: UnsafeRawBufferPointer) {
        var place = 0
        self.init(number: Varint.read(value, &place) ?? 1)
    }

    /// What the entry says: the length plus 1, or 0.
    var number: UInt32 { segmented.map { UInt32(clamping: $0 + 1) } ?? 0 }

    init(number: UInt32) { segmented = number == 0 ? nil : Int(number) - 1 }

    /// Calls `body` with the key of a row's entry.
    @inline(__always)
    static func withKey<Result>(
        of row: RowID, _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        var key =
            (UInt64(TextKeys.Kind.unmerged.rawValue) << 56 | UInt64(row.rawValue) << 24).bigEndian
        return try withBytes(of: &key, 5, body)
    }

    /// Puts the row's entry.
    func put(
        _ row: RowID, in table: TableNumber, to batch: WriteBatch
    ) throws(BackendError) {
        // A varint, of 5 bytes at most.
        var rest = UInt64(number)
        var value: UInt64 = 0
        var count = 0
        while rest >= 0x80 {
            value |= (rest & 0x7F | 0x80) << UInt64(8 * count)
            rest >>= 7
            count += 1
        }
        value = (value | rest << UInt64(8 * count)).littleEndian
        try Self.withKey(of: row) { key throws(BackendError) in
            try Self.withBytes(of: &value, count + 1) { value throws(BackendError) in
                try batch.put(value, for: key, in: table)
            }
        }
    }

    /// Calls `body` with the first bytes of a number, as they lie in memory.
    @inline(__always)
    private static func withBytes<Result>(
        of number: inout UInt64, _ count: Int,
        _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        try withUnsafePointer(to: &number) { place throws(BackendError) in
            try body(UnsafeRawBufferPointer(start: place, count: count))
        }
    }
}
