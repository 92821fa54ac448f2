import CabinetBackend
import CabinetTextSearch

extension LeafReader {
    /// From so many entries of its terms on, the rows of a beginning are taken together.
    private static let manyEntries = 256
    /// Of so few terms each is looked for: other beginnings and misspellings that have it take it from there.
    private static let manyTerms = 64
    /// So many rows for a text at most have a place in a table of rows: those that lie farther apart are sorted.
    private static let rowsForText = 4

    /// The rows of a beginning that very many terms have, as a word has that is being typed; `nil` for any
    /// other pattern, and if rows lie too far apart or are of too many kinds for a byte each.
    func wide(_ pattern: TermPattern) throws -> FoundLeaf? {
        guard snapshot.hasLengths, pattern.kind == .prefix else { return nil }
        let plain = TermPattern(kind: pattern.kind, term: pattern.term, offset: 0)
        let state = snapshot.state
        if let known = state.beginning(plain) { return .beginning(known) }
        guard state.counts(of: plain) == nil, !state.isUncountableBeginning(plain),
            try isWide(pattern.term)
        else { return nil }
        let together = try entries(ofBeginning: pattern.term)
        if let together, together.blocks * PostingsBlock.limit < texts / BeginningRows.few {
            guard let counted = try counted(together.range, hasPositions: false) else {
                state.keepUncountableBeginning(plain)
                return nil
            }
            let leaf = LeafRows(counted)
            state.keep(leaf, of: plain)
            return .counted(leaf)
        }
        let found =
            state.takeSpare()
            ?? BeginningRows(rows: texts, limit: rowLimit)
        let block = BlockReader()
        var isWhole = true
        try snapshot.entries.forEach(
            together?.range ?? Self.entries(of: pattern.term), first: 1024
        ) { key, value in
            isWhole = try snapshot.read(key, value, block, hasPositions: together == nil) {
                together == nil ? found.add($0, $1) : found.add(allOf: $0, $1)
            }
            return isWhole
        }
        guard isWhole else {
            state.keepUncountableBeginning(plain)
            return nil
        }
        if found.areFew {
            let leaf = LeafRows(found.counted)
            state.keep(leaf, of: plain)
            found.removeAll()
            state.spare = found
            return .counted(leaf)
        }
        state.keep(found, of: plain)
        return .beginning(found)
    }

    /// About how many texts there are. However many the segments say, more rows than that are not kept.
    var texts: Int {
        min(max(snapshot.segmented.rows, 1 << 12), snapshot.state.postingsLimit / 2)
    }

    /// Rows from this one on lie too far apart for a table of rows.
    var rowLimit: Int { min(texts * Self.rowsForText, Int(UInt32.max)) }

    func isWide(_ prefix: [UInt8]) throws -> Bool {
        if let count = countOfTerms(beginningWith: prefix), count < Self.manyTerms { return false }
        return try snapshot.reader.count(of: Self.entries(of: prefix), in: snapshot.table)
            >= Self.manyEntries
    }

    /// The entries of all terms with a prefix.
    static func entries(of prefix: [UInt8]) -> KeyRange {
        KeyRange(prefix: prefix.withUnsafeBytes { TextKeys.postings(ofPrefix: $0) })
    }

    /// The entries of what the terms with a prefix say together, and how many there are; `nil` if the segments
    /// have none.
    func entries(
        ofBeginning prefix: [UInt8]
    ) throws -> (range: KeyRange, blocks: Int)? {
        let range = KeyRange(prefix: prefix.withUnsafeBytes { TextKeys.beginnings($0) })
        let blocks = try snapshot.reader.count(of: range, in: snapshot.table)
        return blocks > 0 ? (range, blocks) : nil
    }
}
