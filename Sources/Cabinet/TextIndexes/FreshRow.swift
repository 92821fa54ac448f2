import CabinetBackend

/// What a text index has for a row that was changed since its segments were written: what they say of
/// the row does not count, the record itself is asked.
struct FreshRow: Hashable {
    /// The length of the row's text in the segments; `nil` if they do not know the row.
    var segmented: Int?

    init(segmented: Int?) { self.segmented = segmented }

    /// Of the value of an entry. Bytes that are no such value count as unknown.
    init(_ value: UnsafeRawBufferPointer) {
        var place = 0
        guard let number = Varint.read(value, &place), number > 0 else {
            segmented = nil
            return
        }
        segmented = Int(number) - 1
    }

    /// The value of an entry.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        Varint.append(segmented.map { UInt32($0) + 1 } ?? 0, to: &bytes)
        return bytes
    }
}
