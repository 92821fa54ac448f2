import CChecksum

/// The sums of rows' keys and values, one after the other. Ten rows that follow one another differ
/// in the last digit of their keys alone: the digits before it are divided out and summed once.
struct RowSums {
    private var tens: UInt32 = 0
    private var sumOfTens: UInt32 = 0
    private var lengthOfTens = 0

    /// The CRC-32C over the key of `row` and the `count` bytes at `value`.
    @inline(__always)
    mutating func sum(
        of row: RowID, _ value: UnsafeRawPointer, _ count: Int
    ) -> (sum: UInt32, keyLength: Int) {
        let (tens, digit) = row.rawValue.quotientAndRemainder(dividingBy: 10)
        if tens != self.tens { turn(to: tens) }
        let last = UInt8(truncatingIfNeeded: digit) &+ 0x30
        return (cabinet_crc32c_behind(sumOfTens, last, value, count), lengthOfTens &+ 1)
    }

    @inline(never)
    private mutating func turn(to tens: UInt32) {
        self.tens = tens
        (sumOfTens, lengthOfTens) = (0, 0)
        guard tens > 0 else { return }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DecimalKey.longest) { room in
            guard let digits = room.baseAddress else { return }
            let first = DecimalKey.write(RowID(tens), to: digits)
            lengthOfTens = DecimalKey.longest - first
            sumOfTens = cabinet_crc32c(0, digits + first, lengthOfTens)
        }
    }
}
