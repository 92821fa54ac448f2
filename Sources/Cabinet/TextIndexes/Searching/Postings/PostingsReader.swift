import CabinetBackend
import CabinetTextSearch

/// Reads from a text index where the parts of a search stand: first the rows of each, then, for those that
/// are left, what else is known.
struct PostingsReader {
    let snapshot: TextSnapshot
    /// Where phrases stand.
    private var phrases: [[TermPattern]: RowPositions] = [:]

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
        lists.sort { $0.count < $1.count }
        return lists.dropFirst().reduce(lists.first ?? []) { RowList.intersection($0, $1) }
    }

    /// Where some terms stand at their distances from the first one.
    mutating func phrase(_ patterns: [TermPattern]) throws -> RowPositions {
        if let known = phrases[patterns] { return known }
        let hits = try read(phrase: patterns)
        phrases[patterns] = hits
        return hits
    }

    private func read(phrase patterns: [TermPattern]) throws -> RowPositions {
        // Of the terms of a part of texts, some have all of its letters.
        let patterns = snapshot.hasLengths ? patterns : patterns.covering
        let common = RowIndex(try common(patterns))
        return limited(
            RowPositions(
                phraseOf: try patterns.map { (try postings(of: $0).hits(at: common), $0.offset) }))
    }

    /// What the scores of some rows are made of; it may tell of others, too. Of a single pattern each of its terms
    /// counts, also of several at one position; of several patterns each position counts once.
    /// - Parameter rows: in ascending order.
    mutating func counts(
        _ alternatives: [[TermPattern]], at rows: [UInt32]
    ) throws -> RowCounts {
        guard alternatives.count == 1, alternatives[0].count == 1 else {
            let hits = try hits(alternatives, at: RowIndex(rows))
            return RowCounts(hits, lengths: try lengths(of: hits.rows))
        }
        let postings = try postings(of: alternatives[0][0])
        if let known = postings.counts { return known }
        if rows.count * Self.seldom < postings.count {
            return try postings.counts(
                at: RowIndex(rows), lengths: try lengths(of: rows), limit: placeLimit)
        }
        let all = try postings.counts(
            at: nil, lengths: try lengths(of: postings.rows), limit: placeLimit)
        postings.counts = all
        keep(postings, of: alternatives[0][0])
        return all
    }

    /// Of fewer than one in so many postings the counts are read by themselves, and not kept.
    private static let seldom = 8

    /// No more often than this a term stands in a text.
    private var placeLimit: Int {
        snapshot.hasLengths ? Int(UInt32.max) : Tokenizer.placeLimit
    }

    /// The lengths of the texts of some rows, if postings do not say them.
    private func lengths(of rows: [UInt32]) throws -> [UInt32]? {
        snapshot.hasLengths ? nil : try snapshot.lengths(of: rows)
    }

    /// Where these lists of terms stand in some rows; it may tell of others, too.
    mutating func hits(_ alternatives: [[TermPattern]], at index: RowIndex) throws -> RowPositions {
        RowPositions(
            alternatives: try alternatives.map { patterns in
                guard patterns.count == 1 else { return try phrase(patterns) }
                return limited(try postings(of: patterns[0]).hits(at: index))
            })
    }

    /// With as many places as are counted.
    private func limited(_ hits: RowPositions) -> RowPositions {
        snapshot.hasLengths ? hits : hits.limited(to: Tokenizer.placeLimit)
    }

    // MARK: Reading

    private func postings(of pattern: TermPattern) throws -> TermPostings {
        if let known = snapshot.state.postings(of: pattern.plain) { return known }
        let found = try read(pattern)
        keep(found, of: pattern)
        return found
    }

    /// Keeps postings for the next search. Those that are kept may have grown.
    private func keep(_ postings: TermPostings, of pattern: TermPattern) {
        snapshot.state.keep(postings, of: pattern.plain)
    }

    private func read(_ pattern: TermPattern) throws -> TermPostings {
        switch pattern.kind {
        case .exact: return try read([(pattern.term, 0)])
        case .prefix: return try read(withPrefix: pattern)
        case .suffix, .infix, .fuzzy: return try read(try terms(of: pattern))
        }
    }

    /// The terms of the dictionary that match a pattern, in their order.
    private func terms(of pattern: TermPattern) throws -> [(term: [UInt8], typos: Int)] {
        let dictionary = try snapshot.dictionary()
        guard case .fuzzy(let limit, let isPrefix) = pattern.kind else {
            var test = TermTest(pattern)
            return try dictionary.terms(snapshot.entries) { terms, found in
                for place in 0..<terms.count {
                    if terms.withBytes(of: place, { test.cost(of: $0) }) != nil { found(place, 0) }
                }
            }
        }
        let mark = pattern.markLength
        let typos = pattern.term.withUnsafeBytes { term in
            TypoPattern(
                UnsafeRawBufferPointer(rebasing: term.dropFirst(mark)), limit: limit,
                isPrefix: isPrefix)
        }
        return try dictionary.terms(snapshot.entries) { terms, found in
            var scan = TypoScan(typos, lead: Array(pattern.term.prefix(mark)))
            scan.forEach(in: terms, found: found)
        }
    }

    /// The postings of some terms, by one cursor that seeks.
    private func read(_ terms: [(term: [UInt8], typos: Int)]) throws -> TermPostings {
        let postings = TermPostings(hasLengths: snapshot.hasLengths)
        guard !terms.isEmpty else { return postings }
        let entries = snapshot.entries
        if terms.count == 1 {
            let stem = terms[0].term.withUnsafeBytes { TextKeys.postings(of: $0) }
            postings.reserve(
                blocks: try entries.reader.count(of: KeyRange(prefix: stem), in: entries.table))
        }
        let cursor = try entries.reader.entries(
            in: entries.table, range: KeyRange(prefix: TextKeys.key(.postings)), descending: false)
        try entries.walk { run in
            for (term, typos) in terms {
                let stem = term.withUnsafeBytes { TextKeys.postings(of: $0) }
                try cursor.seek(stem)
                var limit = 2
                walk: while try cursor.next(run, limit: limit) {
                    limit = min(limit * 4, 4096)
                    while let (key, value) = run.next() {
                        guard key.starts(with: stem) else { break walk }
                        try snapshot.add(key, value, typos: typos, to: postings)
                    }
                }
            }
        }
        return postings
    }

    /// The postings of all terms that begin with a prefix, in one walk over their keys.
    private func read(withPrefix pattern: TermPattern) throws -> TermPostings {
        let postings = TermPostings(hasLengths: snapshot.hasLengths)
        let stem = pattern.term.withUnsafeBytes { TextKeys.postings(ofPrefix: $0) }
        try snapshot.entries.forEach(KeyRange(prefix: stem), first: 256) { key, value in
            try snapshot.add(key, value, to: postings)
            return true
        }
        return postings
    }
}

extension [TermPattern] {
    /// Of the terms of a part of texts, as few as have all of its letters.
    fileprivate var covering: [TermPattern] {
        var chosen: [TermPattern] = []
        var place = 0
        while place < count {
            chosen.append(self[place])
            if place == count - 1 { break }
            place = Swift.min(place + GramTokens.length, count - 1)
        }
        return chosen
    }
}

extension TermPattern {
    /// The same at any distance.
    fileprivate var plain: TermPattern { TermPattern(kind: kind, term: term, offset: 0) }
}
