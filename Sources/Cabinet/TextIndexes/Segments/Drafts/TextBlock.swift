import CabinetBackend

/// Texts of some rows, behind one another. Its owner frees it, and makes no copies.
struct TextBlock {
    /// A block of so many bytes is full: 256 KiB.
    static let limit = 256 << 10

    private var bytes = PlainList<UInt8>()
    private var texts = PlainList<(row: RowID, end: Int)>()

    func deallocate() {
        bytes.deallocate()
        texts.deallocate()
    }

    var isEmpty: Bool { texts.count == 0 }
    var isFull: Bool {
        @inline(__always) get { bytes.count >= Self.limit || texts.count >= Self.limit / 16 }
    }

    @inline(__always)
    mutating func append(_ text: UnsafeBufferPointer<UInt8>, of row: RowID) {
        bytes.append(UnsafeRawBufferPointer(text))
        texts.append((row, bytes.count))
    }

    /// Adds the texts to a draft, in their order.
    func add(to draft: SegmentDraft) throws {
        var start = 0
        for index in 0..<texts.count {
            let (row, end) = texts[index]
            let text = UnsafeBufferPointer(start: bytes.base + start, count: end - start)
            try draft.add(text, of: row)
            start = end
        }
    }

    /// Forgets the texts, and keeps the memory.
    mutating func removeAllKeepingMemory() {
        bytes.removeAllKeepingMemory()
        texts.removeAllKeepingMemory()
    }

    /// Forgets the texts, and frees their memory if it is much.
    mutating func removeAll() {
        bytes.removeAll()
        texts.removeAll()
    }
}
