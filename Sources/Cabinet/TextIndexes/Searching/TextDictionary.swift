import CabinetBackend
import CabinetTextSearch

/// The terms of some segments. Segments never change, so it is good as long as the index consists of these.
///
/// All terms are in memory if they take a bounded amount of it; otherwise they are read as they are asked
/// for.
final class TextDictionary {
    /// If there are so many blocks of terms, of 1 KiB each, terms stay where they are.
    static let blocksLimit = 16 << 10

    let segments: [UInt32]
    /// `nil` if there are too many terms.
    let terms: TermList?

    /// - Parameter blocksLimit: how many blocks of terms there may be at most for them to be in memory.
    /// - Throws: a ``BackendError``; `DataBufferError` for entries that are none.
    init(
        _ entries: TextEntries, _ segments: [UInt32], blocksLimit: Int = TextDictionary.blocksLimit
    ) throws {
        self.segments = segments
        let ranges = segments.map { KeyRange(prefix: TextKeys.key(.terms, $0)) }
        let blocks = try ranges.reduce(0) {
            try $0 + entries.reader.count(of: $1, in: entries.table)
        }
        guard blocks <= blocksLimit else {
            terms = nil
            return
        }
        let lists = try ranges.map { range in
            var list = TermList()
            try entries.forEach(range, first: 4096) { _, value in
                try TermBlock.forEachTerm(in: value) { term, _ in
                    list.append(term)
                    return true
                }
            }
            return list
        }
        terms = TermList(merging: lists)
    }

    /// Calls `body` with each term, each once, in ascending order.
    func forEach(
        _ entries: TextEntries, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        if let terms {
            for place in 0..<terms.count { try terms.withBytes(of: place, body) }
            return
        }
        var walk = TermBlocks(entries, segments)
        var (key, term) = ([UInt8](), [UInt8]())
        while try walk.first(from: key, into: &term) {
            try term.withUnsafeBytes(body)
            key = term
            key.append(0)
        }
    }

    /// The terms that differ from a pattern by no more than its typos, in ascending order, and by how
    /// many.
    func similar(
        to pattern: TypoPattern, lead: [UInt8], _ entries: TextEntries
    ) throws -> [(term: [UInt8], typos: Int)] {
        var found: [(term: [UInt8], typos: Int)] = []
        if let terms {
            var scan = TypoScan(pattern, lead: lead)
            scan.forEach(in: terms) { term, typos in
                found.append((terms.withBytes(of: term) { Array($0) }, typos))
            }
            return found
        }
        var walk = TypoWalk(pattern, lead: lead)
        var blocks = TermBlocks(entries, segments)
        var term: [UInt8] = []
        try walk.forEach(
            seek: { try blocks.first(from: $0, into: &term) ? term : nil },
            found: { term, typos in
                found.append((term, typos))
                return true
            })
        return found
    }
}
