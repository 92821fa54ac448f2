import CabinetBackend

/// Reads from a text index where the leaves of a search stand.
struct LeafReader {
    let snapshot: TextSnapshot
    /// Postings of terms that were read for this search.
    private var known: [TermPattern: LeafHits] = [:]

    init(_ snapshot: TextSnapshot) { self.snapshot = snapshot }

    /// Where one leaf stands, of which the field has to contain one of these lists of terms.
    mutating func hits(_ alternatives: [[TermPattern]]) throws -> LeafHits {
        LeafHits(alternatives: try alternatives.map { try phrase($0) })
    }

    /// The rows that all terms of one of the lists stand in, wherever.
    mutating func candidates(_ alternatives: [[TermPattern]]) throws -> [UInt32] {
        var rows: [UInt32] = []
        for patterns in alternatives {
            let lists = try patterns.map { try hits(of: $0).rows }.sorted { $0.count < $1.count }
            guard var common = lists.first else { continue }
            for list in lists.dropFirst() { common = RowList.intersection(common, list) }
            rows = RowList.union(rows, common)
        }
        return rows
    }

    private mutating func phrase(_ patterns: [TermPattern]) throws -> LeafHits {
        if patterns.count == 1, let only = patterns.first { return try hits(of: only) }
        return LeafHits(phraseOf: try patterns.map { (try hits(of: $0), $0.offset) })
    }

    private mutating func hits(of pattern: TermPattern) throws -> LeafHits {
        let plain = TermPattern(kind: pattern.kind, term: pattern.term, offset: 0)
        if let found = known[plain] { return found }
        let found = try read(plain)
        known[plain] = found
        return found
    }

    private func read(_ pattern: TermPattern) throws -> LeafHits {
        switch pattern.kind {
        case .exact:
            return LeafHits(try pattern.term.withUnsafeBytes { try snapshot.postings(of: $0) })
        case .prefix:
            return LeafHits(anyOf: try terms(beginningWith: pattern.term).map { ($0, 0) })
        case .suffix, .infix:
            var test = TermTest(pattern)
            var terms: [[UInt8]] = []
            try snapshot.forEachTerm { term, _ in
                if test.cost(of: term) != nil { terms.append(Array(term)) }
                return true
            }
            return LeafHits(anyOf: try terms.map { (try postings(of: $0), 0) })
        case .fuzzy(let limit, let isPrefix):
            return LeafHits(
                anyOf: try similar(pattern, limit, isPrefix).map { term, typos in
                    (try postings(of: term), typos)
                })
        }
    }

    private func postings(of term: [UInt8]) throws -> Postings {
        try term.withUnsafeBytes { try snapshot.postings(of: $0) }
    }

    /// The postings of all terms that begin with `prefix`, in one walk over their keys.
    private func terms(beginningWith prefix: [UInt8]) throws -> [Postings] {
        var lists: [Postings] = []
        var bySegment: [UInt32: Postings] = [:]
        var stem: [UInt8] = []
        let range = KeyRange(
            prefix: prefix.withUnsafeBytes { TextKeys.postings(ofPrefix: $0) })
        try snapshot.forEach(range) { key, value in
            guard key.count >= 10, let segment = TextKeys.number(in: key, at: key.count - 8),
                let first = TextKeys.number(in: key, at: key.count - 4)
            else { return true }
            if !key.dropLast(8).elementsEqual(stem) {
                if !bySegment.isEmpty { lists.append(snapshot.joined(bySegment)) }
                bySegment.removeAll(keepingCapacity: true)
                stem = Array(key.dropLast(8))
            }
            try bySegment[segment, default: Postings()]
                .read(value, from: first, hasPositions: snapshot.hasPositions)
            return true
        }
        if !bySegment.isEmpty { lists.append(snapshot.joined(bySegment)) }
        return lists
    }

    /// The terms that differ from a pattern by no more than so many typos, and by how many.
    private func similar(
        _ pattern: TermPattern, _ limit: Int, _ isPrefix: Bool
    ) throws -> [(term: [UInt8], typos: Int)] {
        var found: [(term: [UInt8], typos: Int)] = []
        let lead = Array(pattern.term.prefix(pattern.markLength))
        let typos = pattern.term.withUnsafeBytes { term in
            TypoPattern(
                UnsafeRawBufferPointer(rebasing: term.dropFirst(pattern.markLength)),
                limit: limit, isPrefix: isPrefix)
        }
        var walk = TypoWalk(typos, lead: lead)
        var dictionary = TermDictionary(snapshot)
        try walk.forEach(
            seek: { try dictionary.first(from: $0) },
            found: { term, cost in
                found.append((term, cost))
                return true
            })
        return found
    }
}
