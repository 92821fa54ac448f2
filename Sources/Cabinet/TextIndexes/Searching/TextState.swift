import CabinetBackend
import CabinetTextSearch

/// What a text index consists of as of one commit, with what searches have read of it: it is kept from one
/// search to the next while nothing is committed.
///
/// Entries that no program writes (keys of other lengths, rows out of order, terms longer than a tokenizer
/// makes) are damage, after which upkeep makes the index anew.
///
/// Not `Sendable`: it belongs to the store's isolation domain.
final class TextState {
    /// How many bytes of postings are kept of an index of so many texts if nothing else is said: 64 bytes for each,
    /// 48 MiB at least, 256 MiB at most.
    private static func usualLimit(texts: Int) -> Int {
        min(max(texts, 768 << 10), 4 << 20) * 64
    }

    /// In ascending order. Unchecked, as ``passed`` is.
    @exclusivity(unchecked) private(set) var segments: [SegmentHead] = []
    /// Of each segment, the rows that do not count there any more, but for ``unmerged``.
    private(set) var gone: [UInt32: RowSet] = [:]
    /// The rows whose records are asked.
    private(set) var unmerged: [RowID: UnmergedRow] = [:]
    private(set) var unmergedRows = RowSet()
    /// Of the ordered segments, the rows that each voids in those before it.
    private(set) var voided: [UInt32: [UInt32]] = [:]
    /// How many texts the segments know that count, and the sum of their lengths.
    private(set) var segmented = (rows: 0, length: 0)
    /// Of each segment, in their order, the rows that do not count there, in ascending order. Unchecked, as it
    /// is asked for each block of postings, and nothing is called meanwhile.
    @exclusivity(unchecked) private var passed: [[UInt32]] = []
    private var cache: PostingsCache
    /// The lengths of texts, of an index whose postings have none.
    var lengths = TextLengths()
    /// All terms, once they were asked for.
    var dictionary: TextDictionary?

    /// - Throws: a ``BackendError``; `DataBufferError` for entries that are none.
    init(
        _ entries: TextEntries, postingsLimit: Int? = nil
    ) throws {
        cache = PostingsCache(limit: postingsLimit ?? Self.usualLimit(texts: 0))
        let buffer = DataBuffer()
        try entries.forEach(KeyRange(prefix: TextKeys.key(.segment))) { key, value in
            let number = try Self.number(in: key)
            buffer.borrow(value)
            segments.append(try SegmentHead(number, buffer))
            return true
        }
        segments.sort { $0.order == $1.order ? $0.number < $1.number : $0.order < $1.order }
        var rows: [UInt32] = []
        try entries.forEach(KeyRange(prefix: TextKeys.key(.unmerged))) { key, value in
            let row = try Self.number(in: key)
            guard row > 0 else { throw Self.damage }
            unmerged[RowID(row)] = UnmergedRow(value)
            unmergedRows.insert(RowID(row))
            rows.append(row)
            return true
        }
        try readVoided(entries)
        passed = Array(repeating: rows, count: segments.count)
        if !voided.isEmpty { notePassed(rows) }
        segmented = countSegmented()
        cache = PostingsCache(limit: postingsLimit ?? Self.usualLimit(texts: segmented.rows))
    }

    /// Whatever a damaged index says, numbers to which those of all rows may be added.
    private func countSegmented() -> (rows: Int, length: Int) {
        var (rows, length) = (0, 0)
        for head in segments {
            rows &+= Int(clamping: head.rows)
            length &+= Int(clamping: head.length)
        }
        for case let segmented? in unmerged.values.map(\.segmented) {
            rows &-= 1
            length &-= segmented
        }
        return (min(max(rows, 0), 1 << 40), min(max(length, 0), 1 << 60))
    }

    /// The number in a key that has nothing else behind its kind.
    private static func number(in key: UnsafeRawBufferPointer) throws(DataBufferError) -> UInt32 {
        guard key.count == 5, let number = TextKeys.number(in: key, at: 1) else { throw damage }
        return number
    }

    private static var damage: DataBufferError { .invalidValue(type: "text index", offset: 0) }

    private func readVoided(_ entries: TextEntries) throws {
        try entries.forEach(KeyRange(prefix: TextKeys.key(.gone))) { key, value in
            guard key.count == 9, let segment = TextKeys.number(in: key, at: 1),
                let first = TextKeys.number(in: key, at: 5), first > 0,
                voided[segment]?.last.map({ $0 < first }) ?? true
            else { throw Self.damage }
            voided[segment, default: []] += try Postings.rows(value, from: first)
            return true
        }
        guard !voided.isEmpty else { return }
        var all = RowSet()
        for head in segments.reversed() {
            if !all.isEmpty { gone[head.number] = all }
            for row in voided[head.number] ?? [] { all.insert(RowID(row)) }
        }
    }

    private func notePassed(_ unmerged: [UInt32]) {
        var all = unmerged
        for place in segments.indices.reversed() {
            passed[place] = all
            all = RowList.union(all, (voided[segments[place].number] ?? []).sorted())
        }
    }

    /// The rows of which what a segment says does not count, in ascending order. A segment that has no
    /// head is none: nothing of it is asked for.
    func passed(in segment: UInt32) -> [UInt32]? {
        // There are few of them.
        for place in segments.indices where segments[place].number == segment {
            return passed[place]
        }
        return nil
    }

    // MARK: What searches have read

    /// The postings of a pattern, if a search has read them.
    func postings(of pattern: TermPattern) -> TermPostings? { cache.postings(of: pattern) }

    /// Keeps postings for the next search.
    func keep(_ found: TermPostings, of pattern: TermPattern) { cache.keep(found, of: pattern) }

    /// How many bytes are kept.
    var keptSize: Int { cache.size }
}
