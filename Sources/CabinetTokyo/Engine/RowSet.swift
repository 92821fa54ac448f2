import CabinetBackend

/// The rows that a walk has met: a bit each, in pages that are made when they are needed.
struct RowSet {
    private var pages: [UnsafeMutablePointer<UInt64>?] = []

    /// Rows of a page: 64 Ki, 8 KiB of bits.
    private static let pageBits: UInt32 = 16
    private static let words = 1 << (16 - 6)

    @inline(__always)
    func contains(_ row: RowID) -> Bool {
        let page = Int(row.rawValue >> Self.pageBits)
        guard page < pages.count, let bits = pages[page] else { return false }
        let index = Int(row.rawValue & 0xFFFF)
        return bits[index >> 6] & (1 << UInt64(index & 63)) != 0
    }

    /// Adds a row; `false` if it was there.
    @inline(__always)
    mutating func insert(_ row: RowID) -> Bool {
        let page = Int(row.rawValue >> Self.pageBits)
        if page >= pages.count || pages[page] == nil { makePage(page) }
        guard let bits = pages[page] else { return true }
        let index = Int(row.rawValue & 0xFFFF)
        let bit: UInt64 = 1 << UInt64(index & 63)
        defer { bits[index >> 6] |= bit }
        return bits[index >> 6] & bit == 0
    }

    private mutating func makePage(_ page: Int) {
        if page >= pages.count {
            pages.append(contentsOf: repeatElement(nil, count: page + 1 - pages.count))
        }
        let bits = UnsafeMutablePointer<UInt64>.allocate(capacity: Self.words)
        bits.initialize(repeating: 0, count: Self.words)
        pages[page] = bits
    }

    func deallocate() { for page in pages { page?.deallocate() } }
}
