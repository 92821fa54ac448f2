import CabinetBackend

/// Finds out whether both sides of all pairs of relationships say the same, without keeping what
/// they say: each reference adds a number to one of 65,536 sums, and its opposite subtracts the
/// same one.
///
/// Memory: 768 KiB, and for each side a bit for each row whose record was not written with it.
struct InverseSums: Sendable {
    /// A reference of one object to another by a pair of relationships, from whichever side it is
    /// seen.
    struct Link: Hashable, Sendable {
        /// The index of the side that comes first.
        let side: Int
        /// The row of the object that has that side.
        let first: RowID
        let second: RowID

        /// Which sum the link belongs to.
        var bucket: Int { Int(hash >> 48) }

        /// Mixed as by SplitMix64 (Steele, Lea and Flood, 2014).
        fileprivate var hash: UInt64 {
            var mixed = UInt64(first.rawValue) << 32 | UInt64(second.rawValue)
            mixed &+= UInt64(side + 1) &* 0x9E37_79B9_7F4A_7C15
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    let pairs: InversePairs
    /// The sides of each class.
    private let indices: [UInt8: [Int]]
    /// By side: rows whose record may not know it.
    private var unkept: [Int: RowSet] = [:]
    private var sums = [UInt64](repeating: 0, count: 1 << 16)
    private var counts = [UInt32](repeating: 0, count: 1 << 16)

    init(_ pairs: InversePairs) {
        self.pairs = pairs
        indices = Dictionary(grouping: pairs.sides.indices) { pairs.sides[$0].classNumber }
    }

    /// Whether records of the class may have links.
    func concerns(_ classNumber: UInt8) -> Bool { indices[classNumber] != nil }

    /// Notes the layout of a record. All of them come before ``links(in:of:_:among:)`` is asked.
    mutating func note(_ layout: UInt16?, of owner: GraphCheck.ClassRow) {
        let kept = pairs.kept(layout, of: owner.classNumber)
        for side in indices[owner.classNumber] ?? [] where !kept.contains(side) {
            unkept[side, default: RowSet()].insert(owner.row)
        }
    }

    mutating func add(_ link: Link, isFirst: Bool) {
        let bucket = link.bucket
        if isFirst { sums[bucket] &+= link.hash } else { sums[bucket] &-= link.hash }
        if counts[bucket] < .max { counts[bucket] += 1 }
    }

    /// The sums that are not even, and how many references went into each.
    var uneven: [(bucket: Int, count: Int)] {
        var found: [(bucket: Int, count: Int)] = []
        var bucket = 0
        while bucket < sums.count {
            if sums[bucket] != 0 { found.append((bucket, Int(counts[bucket]))) }
            bucket += 1
        }
        return found
    }

    /// The links of a record that the other object's record must have, too, and whether they are
    /// seen from the first side. `rows` are those that are there, by class.
    ///
    /// What is referred to twice is one link. An object that refers to itself by a relationship
    /// that is its own inverse leads back by that.
    func links(
        in references: [RecordDecoder.FoundReference], of owner: GraphCheck.ClassRow,
        _ layout: UInt16?, among rows: [UInt8: RowSet]
    ) -> [(link: Link, isFirst: Bool)] {
        let kept = references.isEmpty ? [] : pairs.kept(layout, of: owner.classNumber)
        if kept.isEmpty { return [] }
        var sidesByField: [String: [UInt8: Int]] = [:]
        for index in kept {
            sidesByField[pairs.sides[index].field, default: [:]][pairs.sides[index].target] = index
        }
        var seen: Set<Link> = []
        var links: [(link: Link, isFirst: Bool)] = []
        for reference in references {
            let (own, other) = (owner.row, reference.target.row)
            guard let field = reference.field, let target = reference.target.classNumber,
                let side = sidesByField[field]?[target],
                let opposite = pairs.index(of: pairs.sides[side].opposite),
                unkept[opposite]?.contains(other) != true, rows[target]?.contains(other) == true
            else { continue }
            if side == opposite, own == other { continue }
            let isFirst = side == opposite ? own < other : side < opposite
            let link = Link(
                side: min(side, opposite), first: isFirst ? own : other,
                second: isFirst ? other : own)
            if seen.insert(link).inserted { links.append((link, isFirst)) }
        }
        return links
    }
}
