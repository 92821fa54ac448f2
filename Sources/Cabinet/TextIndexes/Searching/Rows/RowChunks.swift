import CabinetBackend

/// Rows given some at a time, in ascending order: memory for all of them would take more time than they do.
enum RowChunks {
    /// So many at most.
    static let size = 1024

    /// Calls `body` with what both sets have.
    @inline(__always)
    static func forEach(
        commonTo one: RowIndex, _ other: RowIndex, _ body: (UnsafeBufferPointer<UInt32>) -> Void
    ) {
        guard !one.bits.isEmpty, !other.bits.isEmpty else {
            let (few, many) = one.count < other.count ? (one, other) : (other, one)
            return forEach(many.intersection(few.rows), body)
        }
        let first = max(one.base, other.base)
        let (start, otherStart) = (Int((first &- one.base) >> 6), Int((first &- other.base) >> 6))
        let words = min(one.bits.count - start, other.bits.count - otherStart)
        guard words > 0 else { return }
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: size) { chunk in
            one.bits.withUnsafeBufferPointer { bits in
                other.bits.withUnsafeBufferPointer { others in
                    var place = 0
                    for word in 0..<words {
                        if place > size - 64 {
                            body(UnsafeBufferPointer(rebasing: chunk[..<place]))
                            place = 0
                        }
                        var both = bits[start &+ word] & others[otherStart &+ word]
                        let row = first &+ UInt32(truncatingIfNeeded: word) << 6
                        while both != 0 {
                            chunk[place] =
                                row &+ UInt32(truncatingIfNeeded: both.trailingZeroBitCount)
                            place &+= 1
                            both &= both &- 1
                        }
                    }
                    if place > 0 { body(UnsafeBufferPointer(rebasing: chunk[..<place])) }
                }
            }
        }
    }

    /// Calls `body` with all rows.
    @inline(__always)
    static func forEach(_ rows: [UInt32], _ body: (UnsafeBufferPointer<UInt32>) -> Void) {
        rows.withUnsafeBufferPointer { rows in
            for start in stride(from: 0, to: rows.count, by: size) {
                let end = min(start + size, rows.count)
                body(UnsafeBufferPointer(rebasing: rows[start..<end]))
            }
        }
    }
}
