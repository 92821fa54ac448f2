import CabinetBackend

/// What a sort moves in place of an entry.
struct EntrySlot {
    /// Orders the entries of a group. Of keys, ``EntrySlotSort`` replaces it by the number of a later part: then
    /// equal keys still have equal numbers.
    var prefix: UInt64
    /// The group, and in the lowest 47 bits where the entry is: later entries lie farther on.
    private let position: UInt64

    private static let offsetWidth: UInt64 = 47

    @inline(__always)
    init(_ entry: TableEntry, at offset: Int) {
        prefix = entry.prefix
        position = UInt64(entry.group) << Self.offsetWidth | UInt64(offset)
    }

    @inline(__always)
    var group: UInt32 { UInt32(truncatingIfNeeded: position >> Self.offsetWidth) }

    @inline(__always)
    var offset: Int { Int(truncatingIfNeeded: position & (1 << Self.offsetWidth - 1)) }

    @inline(__always)
    var hasKey: Bool { group & 1 == 1 }

    /// The key of the slot's entry, which ``EntryCoder`` wrote among `bytes`.
    @inline(__always)
    func key(in bytes: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        let entry = bytes + offset
        return UnsafeRawBufferPointer(
            start: entry + EntryCoder.headerSize, count: Int(entry.get(UInt32.self, at: 0)))
    }
}
