/// Where the sections of a range of rows begin among rows of it: a row is found by a look at its section,
/// which has one row on average.
///
/// All sections are as long, a power of 2, and at most twice as many as rows. `Sendable`: a value.
struct RowSections: Sendable {
    private let base: UInt32
    private let shift: UInt32
    /// Of each section the first place whose row is not before it, and at last the number of rows.
    private let starts: [UInt32]

    var size: Int { starts.count * 4 }

    /// - Parameters:
    ///   - rows: in ascending order, at least one.
    ///   - base: not behind the first one.
    ///   - last: the last one.
    init(_ rows: [UInt32], _ base: UInt32, through last: UInt32) {
        self.base = base
        let range = last &- base
        var shift: UInt32 = 0
        while Int(range >> shift) >= rows.count * 2 { shift += 1 }
        self.shift = shift
        let count = Int(range >> shift) + 1
        starts = [UInt32](unsafeUninitializedCapacity: count + 1) { starts, filled in
            var section = 0
            rows.withUnsafeBufferPointer { rows in
                var place = 0
                while place < rows.count {
                    let own = Int((rows[place] &- base) >> shift)
                    while section <= own {
                        starts[section] = UInt32(truncatingIfNeeded: place)
                        section &+= 1
                    }
                    place &+= 1
                }
            }
            // The last row is in the last section.
            starts[count] = UInt32(truncatingIfNeeded: rows.count)
            filled = count + 1
        }
    }

    /// The first place whose row is not before `row`.
    @inline(__always)
    func lowerBound(of row: UInt32, in rows: UnsafeBufferPointer<UInt32>) -> Int {
        guard row >= base else { return 0 }
        let section = Int((row &- base) >> shift)
        guard section < starts.count &- 1 else { return rows.count }
        var (lower, upper) = (Int(starts[section]), Int(starts[section &+ 1]))
        // Rows that lie close together are searched.
        while upper &- lower > 8 {
            let middle = (lower &+ upper) / 2
            if rows[middle] < row { lower = middle &+ 1 } else { upper = middle }
        }
        while lower < upper, rows[lower] < row { lower &+= 1 }
        return lower
    }
}
