import CabinetBackend
import CabinetTextSearch

extension LeafReader {
    /// From so many postings on, what is read of a term is kept for other patterns that have it.
    private static let frequentTerm = 2048
    /// Of so many blocks it is asked how many there are.
    private static let manyBlocks = 64
    /// Memory for so many rows at most is taken at once, whatever the segments say.
    private static let mostReserved = 1 << 20
    /// So many terms at most are looked for one by one where one walk would meet them all.
    private static let fewTerms = 1024

    /// The rows of a pattern with their counts; `nil` if they are of too many kinds.
    func counted(_ pattern: TermPattern) throws -> LeafRows? {
        let plain = TermPattern(kind: pattern.kind, term: pattern.term, offset: 0)
        if let known = snapshot.state.counts(of: plain) { return known }
        if snapshot.state.isUncountable(plain) { return nil }
        guard let found = try count(plain) else {
            snapshot.state.keepUncountable(plain)
            return nil
        }
        snapshot.state.keep(found, of: plain)
        return found
    }

    /// The rows of a pattern that are not to be counted.
    func named(_ pattern: TermPattern) throws -> FoundLeaf {
        let plain = TermPattern(kind: pattern.kind, term: pattern.term, offset: 0)
        if let known = snapshot.state.counts(of: plain) { return .counted(known) }
        return .postings(try postings(of: plain))
    }

    /// The postings of a beginning that very many terms have, of which the rows are not counted yet; `nil`
    /// for any other pattern. Counting them takes several times as long as reading them.
    func uncounted(_ pattern: TermPattern) throws -> TermPostings? {
        let plain = TermPattern(kind: pattern.kind, term: pattern.term, offset: 0)
        guard pattern.kind == .prefix, snapshot.state.counts(of: plain) == nil else { return nil }
        if let known = snapshot.state.postings(of: plain) { return known }
        guard termsBeginning(with: pattern.term) == nil else { return nil }
        return try postings(of: plain)
    }

    private func count(_ pattern: TermPattern) throws -> LeafRows? {
        switch pattern.kind {
        case .exact: return try count([(pattern.term, 0)])
        case .prefix:
            if let terms = termsBeginning(with: pattern.term) { return try count(terms) }
            let known = snapshot.state.postings(of: pattern)
            return try leaf([], known ?? read(beginningWith: pattern))
        case .fuzzy, .suffix, .infix:
            return try count(try terms(of: pattern))
        }
    }

    /// The terms of a prefix, if they are in memory and so few that looking for each is worth it.
    private func termsBeginning(with prefix: [UInt8]) -> [(term: [UInt8], typos: Int)]? {
        guard let terms = snapshot.state.dictionary?.terms,
            let range = places(of: prefix, in: terms), range.count <= Self.fewTerms
        else { return nil }
        return range.map { (terms.withBytes(of: $0) { Array($0) }, 0) }
    }

    private func places(of prefix: [UInt8], in terms: TermList) -> Range<Int>? {
        guard let last = prefix.last, last < .max else { return nil }
        return terms.place(of: prefix)..<terms.place(of: prefix.dropLast() + [last + 1])
    }

    /// What some terms count; `nil` if there are too many kinds of rows.
    private func count(_ terms: [(term: [UInt8], typos: Int)]) throws -> LeafRows? {
        var parts: [(rows: CountedRows, typos: Int)] = []
        var missing: [(term: [UInt8], typos: Int)] = []
        for (term, typos) in terms {
            let pattern = TermPattern(kind: .exact, term: term, offset: 0)
            if let known = snapshot.state.counts(of: pattern) {
                parts.append((known.base, typos))
            } else {
                missing.append((term, typos))
            }
        }
        let others = TermPostings(hasLengths: snapshot.hasLengths)
        if snapshot.hasLengths, terms.count == 1, let (term, typos) = missing.first {
            return try counted(term).flatMap { try leaf([($0, typos)], others) }
        }
        var (isCountable, areKept) = (true, true)
        // What is read of a frequent term up to there is read once more.
        let limit = snapshot.hasLengths ? Self.frequentTerm : .max
        try forEachPosting(of: missing, into: others, limit: limit) { term, typos, before in
            guard others.count - before >= Self.frequentTerm || terms.count == 1 else { return }
            guard let rows = try counted(term, others, before) else {
                isCountable = false
                return
            }
            parts.append((rows, typos))
            guard terms.count > 1 else { return }
            let pattern = TermPattern(kind: .exact, term: term, offset: 0)
            areKept = snapshot.state.keep(LeafRows(rows), of: pattern) && areKept
        }
        return isCountable ? try leaf(parts, others, areKept: areKept) : nil
    }

    /// The rows of a term of which postings were added behind the first `before`: these are taken out. `nil` if
    /// there are too many kinds of them.
    private func counted(
        _ term: [UInt8], _ postings: TermPostings, _ before: Int
    ) throws -> CountedRows? {
        guard snapshot.hasLengths else {
            return try CountedRows(postings.takeLast(from: before), reader: self)
        }
        postings.removeLast(from: before)
        return try counted(term)
    }

    /// The rows of a term of an index with lengths; `nil` if there are too many kinds of them.
    private func counted(_ term: [UInt8]) throws -> CountedRows? {
        let stem = term.withUnsafeBytes { TextKeys.postings(of: $0) }
        return try counted(KeyRange(prefix: stem))
    }

    /// The rows of entries of one term; `nil` if there are too many kinds of them.
    private func counted(_ range: KeyRange) throws -> CountedRows? {
        let (blocks, reader) = (CountedBlocks(), BlockReader())
        var (isCountable, read) = (true, 0)
        try snapshot.entries.forEach(range, first: 1024) { key, value in
            read += 1
            if read == Self.manyBlocks {
                let count = try snapshot.reader.count(of: range, in: snapshot.table)
                blocks.reserve(min(count * PostingsBlock.limit, Self.mostReserved))
            }
            isCountable = try snapshot.read(key, value, reader) {
                blocks.add($0, $1)
            }
            return isCountable
        }
        return isCountable ? blocks.counted : nil
    }

    /// One leaf of the rows of frequent terms, and of all others.
    /// - Parameter areKept: whether the rows of each frequent term are kept by themselves, too.
    private func leaf(
        _ parts: [(rows: CountedRows, typos: Int)], _ others: TermPostings, areKept: Bool = true
    ) throws -> LeafRows? {
        let largest = parts.indices.max { parts[$0].rows.count < parts[$1].rows.count }
        guard let largest else {
            return try (CountedRows(inOrder: others) ?? CountedRows(others, reader: self))
                .map { LeafRows($0) }
        }
        let base = parts[largest]
        var rest: CountedRows?
        if parts.count > 1 || others.count > 0 {
            let left = parts.indices.filter { $0 != largest }.map { parts[$0] }
            rest = try CountedRows(others, left, reader: self)
            guard rest != nil else { return nil }
        }
        return LeafRows(
            base.rows, typos: base.typos, rest: rest,
            isBaseShared: areKept && (parts.count > 1 || rest != nil))
    }
}

extension CountedRows {
    /// What was read of terms, and of other terms before, which have these typos.
    /// - Throws: `DataBufferError` for bytes that are no postings.
    convenience init?(
        _ postings: TermPostings, _ parts: [(rows: CountedRows, typos: Int)] = [],
        reader: LeafReader
    ) throws {
        var rows = postings.rows
        if !parts.isEmpty {
            var all = rows
            for part in parts { all += part.rows.rows }
            rows =
                if let least = all.min(), let greatest = all.max() {
                    RowBits.sorted(all, from: least, through: greatest)
                } else {
                    []
                }
        }
        let index = RowIndex(rows)
        var counts = try postings.counts(
            at: index, hasTypos: parts.contains { $0.typos > 0 || $0.rows.hasTypos })
        counts.change { counts in
            for part in parts {
                part.rows.rows.withUnsafeBufferPointer { own in
                    index.forEachPlace(of: own) { number, place in
                        let kind = part.rows.kinds[Int(part.rows.kindOfRow[number])]
                        counts.add(
                            Int(kind.frequency), length: kind.length,
                            typos: kind.typos &+ UInt8(clamping: part.typos), at: place)
                    }
                }
            }
        }
        try reader.complete(&counts, at: index)
        self.init(index, counts)
    }

    private var hasTypos: Bool { kinds.contains { $0.typos > 0 } }
}
