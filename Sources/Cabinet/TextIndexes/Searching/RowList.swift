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
        var result: [UInt32] = []
        result.reserveCapacity(short.count)
        var place = 0
        if long.count > short.count * 16 {
            // Steps that double find the next place sooner than single ones.
            for row in short {
                var step = 1
                while place + step < long.count, long[place + step] < row { step *= 2 }
                var (lower, upper) = (place, min(place + step + 1, long.count))
                while lower < upper {
                    let middle = (lower + upper) / 2
                    if long[middle] < row { lower = middle + 1 } else { upper = middle }
                }
                place = lower
                guard place < long.count else { break }
                if long[place] == row { result.append(row) }
            }
            return result
        }
        for row in short {
            while place < long.count, long[place] < row { place += 1 }
            guard place < long.count else { break }
            if long[place] == row { result.append(row) }
        }
        return result
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
