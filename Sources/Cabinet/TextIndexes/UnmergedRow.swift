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

    /// Of the value of an entry: the length plus 1, or 0. Of bytes that are no such value, segments may know
    /// the row.
    init(_ value: UnsafeRawBufferPointer) {
        var place = 0
        let number = Varint.read(value, &place) ?? 1
        segmented = number == 0 ? nil : Int(number) - 1
    }

    /// The key of a row's entry.
    static func key(of row: RowID) -> [UInt8] { TextKeys.key(.unmerged, row.rawValue) }

    /// Puts the row's entry.
    func put(
        _ row: RowID, in table: TableNumber, to batch: WriteBatch
    ) throws(BackendError) {
        var value: [UInt8] = []
        Varint.append(segmented.map { UInt32(clamping: $0 + 1) } ?? 0, to: &value)
        try batch.put(value, for: Self.key(of: row), in: table)
    }
}
