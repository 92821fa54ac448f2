/// Rows that a part of a search finds: these, or all but these. Sorted.
enum RowList {
    case only([UInt32])
    case allBut([UInt32])

    /// How much it narrows down what else is found: the less, the sooner it is asked.
    var size: Int {
        switch self {
        case .only(let rows): rows.count
        case .allBut: .max
        }
    }

    /// What does not meet it.
    var inverted: RowList {
        switch self {
        case .only(let rows): .allBut(rows)
        case .allBut(let rows): .only(rows)
        }
    }

    /// What meets both.
    func and(_ other: RowList) -> RowList {
        switch (self, other) {
        case (.only(let one), .only(let two)): .only(Self.intersection(one, two))
        case (.only(let one), .allBut(let two)), (.allBut(let two), .only(let one)):
            .only(Self.difference(one, two))
        case (.allBut(let one), .allBut(let two)): .allBut(Self.union(one, two))
        }
    }

    /// What meets either.
    func or(_ other: RowList) -> RowList { inverted.and(other.inverted).inverted }

    /// What both have.
    static func intersection(_ one: [UInt32], _ other: [UInt32]) -> [UInt32] {
        let (short, long) = one.count < other.count ? (one, other) : (other, one)
        guard long.count > short.count * 16 else {
            return byBits(short, long) ?? merged(short, long)
        }
        return found(short, among: long)
    }

    /// Those of a short list that a much longer one has.
    private static func found(_ short: [UInt32], among long: [UInt32]) -> [UInt32] {
        [UInt32](unsafeUninitializedCapacity: short.count) { target, filled in
            short.withUnsafeBufferPointer { short in
                long.withUnsafeBufferPointer { long in
                    var (place, count) = (0, 0)
                    for row in short {
                        // Steps that double find the next place sooner than single ones.
                        var step = 1
                        while place &+ step < long.count, long[place &+ step] < row { step &*= 2 }
                        let end = min(place &+ step &+ 1, long.count)
                        place &+= UnsafeBufferPointer(rebasing: long[place..<end])
                            .lowerBound(of: row)
                        guard place < long.count else { break }
                        target[count] = row
                        count &+= long[place] == row ? 1 : 0
                    }
                    filled = count
                }
            }
        }
    }

    /// What both have, by the bits of the shorter list: each row of the longer one is asked by itself, while
    /// a merge waits for each comparison. `nil` for lists that are short for the range of their rows.
    private static func byBits(_ short: [UInt32], _ long: [UInt32]) -> [UInt32]? {
        guard let first = short.first, let last = short.last, first > 0, first <= last else {
            return nil
        }
        let base = RowBits.base(first)
        let words = Int((last &- base) >> 6) + 1
        guard words <= short.count + long.count else { return nil }
        let bits = RowBits.words(of: short, base, words)
        return [UInt32](unsafeUninitializedCapacity: short.count + 1) { target, filled in
            long.withUnsafeBufferPointer { long in
                bits.withUnsafeBufferPointer { bits in
                    var (count, place) = (0, long.lowerBound(of: base))
                    // Rows of a damaged index may repeat.
                    while place < long.count, count <= short.count {
                        let row = long[place]
                        let word = Int((row &- base) >> 6)
                        guard word < words else { break }
                        target[count] = row
                        count &+= Int(truncatingIfNeeded: bits[word] >> UInt64(row & 63) & 1)
                        place &+= 1
                    }
                    filled = min(count, short.count)
                }
            }
        }
    }

    /// What both have: without a branch that depends on the rows, which nothing could predict.
    private static func merged(_ short: [UInt32], _ long: [UInt32]) -> [UInt32] {
        [UInt32](unsafeUninitializedCapacity: short.count) { target, filled in
            short.withUnsafeBufferPointer { short in
                long.withUnsafeBufferPointer { long in
                    var (one, other, count) = (0, 0, 0)
                    while one < short.count, other < long.count {
                        let (row, next) = (short[one], long[other])
                        target[count] = row
                        count &+= row == next ? 1 : 0
                        one &+= row <= next ? 1 : 0
                        other &+= next <= row ? 1 : 0
                    }
                    filled = count
                }
            }
        }
    }

    /// What the first has and the second has not.
    static func difference(_ one: [UInt32], _ other: [UInt32]) -> [UInt32] {
        guard !other.isEmpty else { return one }
        var result: [UInt32] = []
        var place = 0
        for row in one {
            while place < other.count, other[place] < row { place += 1 }
            if place == other.count || other[place] != row { result.append(row) }
        }
        return result
    }

    /// What either has.
    static func union(_ one: [UInt32], _ other: [UInt32]) -> [UInt32] {
        if one.isEmpty || other.isEmpty { return one + other }
        var result: [UInt32] = []
        result.reserveCapacity(one.count + other.count)
        var place = 0
        for row in one {
            while place < other.count, other[place] < row {
                result.append(other[place])
                place += 1
            }
            if place < other.count, other[place] == row { place += 1 }
            result.append(row)
        }
        result += other[place...]
        return result
    }
}
