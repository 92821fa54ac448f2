import CabinetBackend

/// Where one leaf of a search stands in one field, row after row in ascending order.
struct LeafHits {
    private(set) var postings = Postings()
    /// Of each posting, how many typos it has at least; empty if there are none at all.
    private(set) var typos: [UInt8] = []

    init() {}

    /// - Parameter typos: of each posting; empty if there are none at all.
    init(_ postings: Postings, typos: [UInt8]) { (self.postings, self.typos) = (postings, typos) }

    var rows: [UInt32] { postings.rows }

    /// The typos of a posting.
    func typos(of posting: Int) -> Int { typos.isEmpty ? 0 : Int(typos[posting]) }

    /// The rows in which all terms of a phrase stand at their distances from the first one.
    init(phraseOf terms: [(hits: LeafHits, offset: Int)]) {
        guard let first = terms.first else { return }
        var indices = Array(repeating: 0, count: terms.count)
        let hasTypos = terms.contains { !$0.hits.typos.isEmpty }
        // Whichever row one list lacks, all pass over.
        search: for index in first.hits.rows.indices {
            let row = first.hits.rows[index]
            for number in terms.indices.dropFirst() {
                let rows = terms[number].hits.rows
                while indices[number] < rows.count, rows[indices[number]] < row {
                    indices[number] += 1
                }
                guard indices[number] < rows.count else { break search }
                if rows[indices[number]] != row { continue search }
            }
            var places = Array(first.hits.postings.positions(of: index))
            var typos = first.hits.typos(of: index)
            for number in terms.indices.dropFirst() {
                let hits = terms[number].hits
                let others = hits.postings.positions(of: indices[number])
                typos += hits.typos(of: indices[number])
                let offset = terms[number].offset
                var other = others.startIndex
                places = places.filter { place in
                    let wanted = Int(place) + offset
                    while other < others.endIndex, Int(others[other]) < wanted { other += 1 }
                    return other < others.endIndex && Int(others[other]) == wanted
                }
            }
            guard !places.isEmpty else { continue }
            postings.append(row, length: first.hits.postings.lengths[index], places)
            if hasTypos { self.typos.append(UInt8(clamping: typos)) }
        }
    }

    /// The same with the first `limit` places of each row.
    func limited(to limit: Int) -> LeafHits {
        guard postings.positions.count > limit else { return self }
        var limited = Postings()
        for index in rows.indices {
            limited.append(
                rows[index], length: postings.lengths[index],
                postings.positions(of: index).prefix(limit))
        }
        return LeafHits(limited, typos: typos)
    }

    /// What either of several alternatives finds.
    init(alternatives: [LeafHits]) {
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
    init(_ hits: LeafHits, lengths: [UInt32]?) {
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
