import CabinetBackend
import CabinetTextSearch

/// Reads from a text index where the leaves of a search stand: first the rows of each, then, for those that
/// are left, what else is known.
struct LeafReader {
    let snapshot: TextSnapshot
    /// Where phrases stand.
    private var phrases: [[TermPattern]: LeafHits] = [:]

    init(_ snapshot: TextSnapshot) { self.snapshot = snapshot }

    /// The rows in which one of these lists of terms stands.
    mutating func rows(_ alternatives: [[TermPattern]]) throws -> [UInt32] {
        var rows: [UInt32]?
        for patterns in alternatives {
            let found = try self.rows(patterns)
            rows = rows.map { RowList.union($0, found) } ?? found
        }
        return rows ?? []
    }

    private mutating func rows(_ patterns: [TermPattern]) throws -> [UInt32] {
        patterns.count == 1 ? try postings(of: patterns[0]).rows : try phrase(patterns).rows
    }

    /// The rows that have all terms, the rarest first.
    private func common(_ patterns: [TermPattern]) throws -> [UInt32] {
        var lists: [[UInt32]] = []
        for pattern in patterns {
            let rows = try postings(of: pattern).rows
            if rows.isEmpty { return [] }
            lists.append(rows)
        }
        return Self.common(lists)
    }

    private static func common(_ lists: [[UInt32]]) -> [UInt32] {
        let lists = lists.sorted { $0.count < $1.count }
        return lists.dropFirst().reduce(lists.first ?? []) { RowList.intersection($0, $1) }
    }

    /// Where some terms stand at their distances from the first one.
    mutating func phrase(_ patterns: [TermPattern]) throws -> LeafHits {
        if let known = phrases[patterns] { return known }
        let hits = try read(phrase: patterns)
        phrases[patterns] = hits
        return hits
    }

    private func read(phrase patterns: [TermPattern]) throws -> LeafHits {
        guard snapshot.hasLengths else { return try read(part: patterns.covering) }
        let common = RowIndex(try common(patterns))
        return LeafHits(
            phraseOf: try patterns.map { (try postings(of: $0).hits(at: common), $0.offset) })
    }

    /// Where a part of texts stands, of which these are terms that have all of its letters.
    private func read(part patterns: [TermPattern]) throws -> LeafHits {
        // Not kept for other searches: memory that is used again takes less time than memory that is new. A
        // part may have a term several times.
        let plain = patterns.map { TermPattern(kind: $0.kind, term: $0.term, offset: 0) }
        var postings: [TermPattern: TermPostings] = [:]
        for pattern in plain where postings[pattern] == nil {
            let found = try snapshot.state.postings(of: pattern) ?? read(pattern)
            if found.rows.isEmpty { return LeafHits() }
            postings[pattern] = found
        }
        let rows = Self.common(postings.values.map(\.rows))
        let positions = try postings.mapValues { try $0.positions(in: rows) }
        let terms = zip(plain, patterns).compactMap { plain, pattern in
            positions[plain].map { (places: $0, offset: pattern.offset) }
        }
        return LeafHits(partOf: terms, in: rows, limit: Tokenizer.placeLimit)
    }

    /// How often one of these lists of terms stands in some rows: of a single pattern each of its terms
    /// counts, also of several at one position; otherwise each position counts once.
    mutating func counts(_ alternatives: [[TermPattern]], at index: RowIndex) throws -> LeafCounts {
        if alternatives.count == 1, alternatives[0].count == 1 {
            return try counts(of: try postings(of: alternatives[0][0]), at: index)
        }
        return try counts(of: try hits(alternatives, at: index), at: index)
    }

    /// How often terms stand in some rows.
    func counts(of postings: TermPostings, at index: RowIndex) throws -> LeafCounts {
        var counts = try postings.counts(at: index)
        try complete(&counts, at: index)
        return counts
    }

    /// How often something was found in some rows.
    func counts(of hits: LeafHits, at index: RowIndex) throws -> LeafCounts {
        var counts = LeafCounts(hits, at: index)
        try complete(&counts, at: index)
        return counts
    }

    /// Adds what postings of parts of texts do not say.
    func complete(_ counts: inout LeafCounts, at index: RowIndex) throws {
        guard !snapshot.hasLengths else { return }
        counts.setLengths(try snapshot.lengths(of: index.rows), limit: Tokenizer.placeLimit)
    }

    /// Where these lists of terms stand in some rows; it may tell of others, too.
    mutating func hits(_ alternatives: [[TermPattern]], at index: RowIndex) throws -> LeafHits {
        LeafHits(
            alternatives: try alternatives.map { patterns in
                guard patterns.count == 1 else { return try phrase(patterns) }
                let hits = try postings(of: patterns[0]).hits(at: index)
                return snapshot.hasLengths ? hits : hits.limited(to: Tokenizer.placeLimit)
            })
    }

    // MARK: Reading

    func postings(of pattern: TermPattern) throws -> TermPostings {
        let plain = TermPattern(kind: pattern.kind, term: pattern.term, offset: 0)
        if let known = snapshot.state.postings(of: plain) { return known }
        let found = try read(plain)
        snapshot.state.keep(found, of: plain)
        return found
    }

    private func read(_ pattern: TermPattern) throws -> TermPostings {
        switch pattern.kind {
        case .exact: return try read([(pattern.term, 0)])
        case .prefix: return try read(beginningWith: pattern)
        case .suffix, .infix, .fuzzy: return try read(try terms(of: pattern))
        }
    }

    /// The terms of the dictionary that match a pattern, in their order.
    func terms(of pattern: TermPattern) throws -> [(term: [UInt8], typos: Int)] {
        guard case .fuzzy(let limit, let isPrefix) = pattern.kind else {
            var test = TermTest(pattern)
            var terms: [(term: [UInt8], typos: Int)] = []
            try snapshot.dictionary().forEach(snapshot.entries) { term in
                if test.cost(of: term) != nil { terms.append((Array(term), 0)) }
            }
            return terms
        }
        let mark = pattern.markLength
        let typos = pattern.term.withUnsafeBytes { term in
            TypoPattern(
                UnsafeRawBufferPointer(rebasing: term.dropFirst(mark)), limit: limit,
                isPrefix: isPrefix)
        }
        return try snapshot.dictionary().similar(
            to: typos, lead: Array(pattern.term.prefix(mark)), snapshot.entries)
    }

    private func read(_ terms: [(term: [UInt8], typos: Int)]) throws -> TermPostings {
        let postings = TermPostings(hasLengths: snapshot.hasLengths)
        try forEachPosting(of: terms, into: postings) { _, _, _ in }
        return postings
    }

    /// Adds the postings of some terms to others, by one cursor that seeks.
    /// - Parameters:
    ///   - limit: once a term has so many postings, no others of it are added.
    ///   - body: called behind each term, with how many postings there were before it.
    func forEachPosting(
        of terms: [(term: [UInt8], typos: Int)], into postings: TermPostings,
        limit most: Int = .max,
        _ body: (_ term: [UInt8], _ typos: Int, _ before: Int) throws -> Void
    ) throws {
        guard !terms.isEmpty else { return }
        let entries = snapshot.entries
        if terms.count == 1, most == .max {
            let stem = terms[0].term.withUnsafeBytes { TextKeys.postings(of: $0) }
            postings.reserve(
                blocks: try entries.reader.count(of: KeyRange(prefix: stem), in: entries.table))
        }
        let cursor = try entries.reader.entries(
            in: entries.table, range: KeyRange(prefix: TextKeys.key(.postings)), descending: false)
        try entries.walk { run in
            for (term, typos) in terms {
                let before = postings.count
                let stem = term.withUnsafeBytes { TextKeys.postings(of: $0) }
                try cursor.seek(stem)
                var limit = 2
                walk: while try cursor.next(run, limit: limit) {
                    limit = min(limit * 4, 4096)
                    while let (key, value) = run.next() {
                        guard key.starts(with: stem) else { break walk }
                        try snapshot.add(key, value, typos: typos, to: postings)
                        if postings.count - before >= most { break walk }
                    }
                }
                try body(term, typos, before)
            }
        }
    }

    /// The postings of all terms that begin with a prefix, in one walk over their keys.
    func read(beginningWith pattern: TermPattern) throws -> TermPostings {
        let postings = TermPostings(hasLengths: snapshot.hasLengths)
        let stem = pattern.term.withUnsafeBytes { TextKeys.postings(ofPrefix: $0) }
        try snapshot.entries.forEach(KeyRange(prefix: stem), first: 256) { key, value in
            try snapshot.add(key, value, to: postings)
            return true
        }
        return postings
    }
}
