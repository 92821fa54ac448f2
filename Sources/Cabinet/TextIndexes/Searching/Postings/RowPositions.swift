import CabinetBackend

/// Where one part of a search stands in one field, row after row in ascending order.
struct RowPositions {
    private(set) var postings = Postings()
    /// Of each posting, how many typos it has at least; empty if there are none at all.
    private(set) var typos: [UInt8] = []

    init() {}

    /// - Parameter typos: of each posting; empty if there are none at all.
    init(_ postings: Postings, typos: [UInt8]) { (self.postings, self.typos) = (postings, typos) }

    var rows: [UInt32] { postings.rows }

    /// The typos of a posting.
    func typos(of posting: Int) -> Int { typos.isEmpty ? 0 : Int(typos[posting]) }

    /// The rows in which all terms of a phrase stand at their distances, and where it begins.
    init(phraseOf terms: [(hits: RowPositions, offset: Int)]) {
        guard let first = terms.first?.hits.postings else { return }
        var indices = Array(repeating: 0, count: terms.count)
        let hasTypos = terms.contains { !$0.hits.typos.isEmpty }
        var starts: [UInt32] = []
        // Whichever row one list lacks, all pass over.
        search: for index in first.rows.indices {
            let row = first.rows[index]
            starts.removeAll(keepingCapacity: true)
            for place in first.positions(of: index) where place >= terms[0].offset {
                starts.append(place - UInt32(terms[0].offset))
            }
            for number in 1..<terms.count {
                var posting = indices[number]
                let count = terms[number].hits.postings.count
                while posting < count, terms[number].hits.postings.rows[posting] < row {
                    posting += 1
                }
                indices[number] = posting
                guard posting < count else { break search }
                if terms[number].hits.postings.rows[posting] != row { continue search }
                Self.keep(
                    in: &starts, terms[number].hits.postings.positions(of: posting),
                    terms[number].offset)
            }
            guard !starts.isEmpty else { continue }
            indices[0] = index
            postings.append(row, length: first.lengths[index], starts)
            guard hasTypos else { continue }
            let sum = terms.indices.reduce(0) { $0 + terms[$1].hits.typos(of: indices[$1]) }
            typos.append(UInt8(clamping: sum))
        }
    }

    /// Keeps those of `starts` at whose distance `offset` one of `positions` is.
    private static func keep(
        in starts: inout [UInt32], _ positions: ArraySlice<UInt32>, _ offset: Int
    ) {
        var (kept, other) = (0, positions.startIndex)
        for start in starts {
            let wanted = Int(start) + offset
            while other < positions.endIndex, Int(positions[other]) < wanted { other += 1 }
            guard other < positions.endIndex else { break }
            guard Int(positions[other]) == wanted else { continue }
            starts[kept] = start
            kept += 1
        }
        starts.removeLast(starts.count - kept)
    }

    /// The same with the first `limit` places of each row.
    func limited(to limit: Int) -> RowPositions {
        guard postings.positions.count > limit else { return self }
        var limited = Postings()
        for index in rows.indices {
            limited.append(
                rows[index], length: postings.lengths[index],
                postings.positions(of: index).prefix(limit))
        }
        return RowPositions(limited, typos: typos)
    }

    /// What either of several alternatives finds.
    init(alternatives: [RowPositions]) {
        if alternatives.count == 1, let only = alternatives.first {
            self = only
            return
        }
        var order: [(row: UInt32, list: Int, posting: Int)] = []
        for (list, hits) in alternatives.enumerated() {
            for index in hits.rows.indices { order.append((hits.rows[index], list, index)) }
        }
        order.sort { $0.row == $1.row ? $0.list < $1.list : $0.row < $1.row }
        let hasTypos = alternatives.contains { !$0.typos.isEmpty }
        var start = 0
        while start < order.count {
            var end = start + 1
            while end < order.count, order[end].row == order[start].row { end += 1 }
            var places: [UInt32] = []
            var least = Int.max
            for entry in order[start..<end] {
                let hits = alternatives[entry.list]
                places += hits.postings.positions(of: entry.posting)
                least = min(least, hits.typos(of: entry.posting))
            }
            places.sort()
            let head = alternatives[order[start].list].postings
            postings.append(
                order[start].row, length: head.lengths[order[start].posting],
                places.withoutRepeats)
            if hasTypos { typos.append(UInt8(clamping: least)) }
            start = end
        }
    }
}

extension RowCounts {
    /// Of what was found with positions.
    /// - Parameter lengths: those of the texts, if the index has none.
    init(_ hits: RowPositions, lengths: [UInt32]?) {
        self.init(hits.rows, hasTypos: !hits.typos.isEmpty, lengths: lengths) { sums in
            for posting in hits.rows.indices {
                sums.add(
                    hits.postings.frequency(of: posting), length: hits.postings.lengths[posting],
                    typos: UInt8(clamping: hits.typos(of: posting)), at: posting)
            }
        }
    }
}

extension [UInt32] {
    /// A sorted list with each number once.
    fileprivate var withoutRepeats: [UInt32] {
        var result: [UInt32] = []
        result.reserveCapacity(count)
        for number in self where number != result.last { result.append(number) }
        return result
    }
}
