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
        return long.count > short.count * 16 ? found(short, among: long) : merged(short, long)
    }

    /// Those of a short list that a much longer one has.
    private static func found(_ short: [UInt32], among long: [UInt32]) -> [UInt32] {
        long.withUnsafeBufferPointer { long in
            var place = 0
            return short.filter { row in
                place = long.lowerBound(of: row, from: place)
                return place < long.count && long[place] == row
            }
        }
    }

    /// What both have: without a branch that depends on the rows, which nothing could predict.
    private static func merged(_ short: [UInt32], _ long: [UInt32]) -> [UInt32] {
        // Never none: the one empty array that all threads share would be written to.
        [UInt32](unsafeUninitializedCapacity: max(short.count, 1)) { target, filled in
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

    /// What the first has and the second, which is much shorter mostly, has not.
    static func difference(_ one: [UInt32], _ other: [UInt32]) -> [UInt32] {
        guard !other.isEmpty else { return one }
        var result: [UInt32] = []
        result.reserveCapacity(one.count)
        var place = 0
        one.withUnsafeBufferPointer { one in
            for row in other where place < one.count {
                let end = one.lowerBound(of: row, from: place)
                result += one[place..<end]
                place = end < one.count && one[end] == row ? end + 1 : end
            }
            result += one[place...]
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

extension UnsafeBufferPointer<UInt32> {
    /// The first place in ascending numbers that is not before `number`.
    ///
    /// Without a branch that depends on the numbers, which nothing could predict.
    @inline(__always)
    func lowerBound(of number: UInt32) -> Int {
        guard let base = baseAddress, count > 0 else { return 0 }
        var (lower, length) = (0, count)
        while length > 1 {
            let half = length / 2
            // All bits if the number in the middle is less, as the difference is below 0 then.
            let difference = Int64(base[lower &+ half &- 1]) &- Int64(number)
            lower &+= half & Int(truncatingIfNeeded: difference &>> 63)
            length &-= half
        }
        return base[lower] < number ? lower &+ 1 : lower
    }

    /// The same from the place `start` on, in steps that double: few where it is near.
    @inline(__always)
    func lowerBound(of number: UInt32, from start: Int) -> Int {
        guard start < count, self[start] < number else { return start }
        var (place, step) = (start, 1)
        while place &+ step < count, self[place &+ step] < number {
            place &+= step
            step &*= 2
        }
        let rest = UnsafeBufferPointer(rebasing: self[place + 1..<Swift.min(place + step, count)])
        return place + 1 + rest.lowerBound(of: number)
    }
}
