import CabinetBackend
import CabinetTextSearch

/// What a text index consists of as of one commit, with what searches have read of it: it is kept from one
/// search to the next while nothing is committed.
///
/// Not `Sendable`: it belongs to the store's isolation domain.
final class TextState {
    /// What ``postingsLimit`` is for an index of so many texts if nothing else is said: 64 bytes for each, as
    /// one letter takes one byte of each, and 48 MiB at least, 256 MiB at most.
    private static func usualLimit(texts: Int) -> Int {
        min(max(texts, 768 << 10), 4 << 20) * 64
    }

    /// What a search has read of a pattern.
    private enum Content {
        case postings(TermPostings)
        case counts(LeafRows)
        /// There are no counts, as a search has found.
        case uncountable
    }

    private enum Form { case postings, counts }

    private struct Key: Hashable {
        let pattern: TermPattern
        let form: Form
    }

    private struct Kept {
        let content: Content
        let size: Int
        /// When they were used last.
        var use: Int
    }

    /// From so many bytes of postings on, those that were not used for the longest time are let go of.
    private(set) var postingsLimit: Int
    /// In ascending order. Unchecked, as ``passed`` is.
    @exclusivity(unchecked) private(set) var segments: [SegmentHead] = []
    /// Of each segment, the rows that do not count there any more, but for ``fresh``.
    private(set) var gone: [UInt32: RowSet] = [:]
    /// The rows whose records are asked.
    private(set) var fresh: [RowID: FreshRow] = [:]
    private(set) var freshRows = RowSet()
    /// Of the ordered segments, the rows that each voids in those before it.
    private(set) var voided: [UInt32: [UInt32]] = [:]
    /// How many texts the segments know that count, and the sum of their lengths.
    private(set) var segmented = (rows: 0, length: 0)
    /// Of each segment, in their order, the rows that do not count there, in ascending order. Unchecked, as it
    /// is asked for each block of postings, and nothing is called meanwhile.
    @exclusivity(unchecked) private var passed: [[UInt32]] = []
    private var kept: [Key: Kept] = [:]
    /// How many bytes they take.
    private(set) var keptSize = 0
    private var uses = 0
    /// The lengths of texts, of an index whose postings have none.
    var lengths = TextLengths()
    /// All terms, once they were asked for.
    var dictionary: TextDictionary?

    /// - Throws: a ``BackendError``; `DataBufferError` for entries that are none.
    init(
        _ entries: TextEntries, postingsLimit: Int? = nil
    ) throws {
        self.postingsLimit = postingsLimit ?? Self.usualLimit(texts: 0)
        let buffer = DataBuffer()
        try entries.forEach(KeyRange(prefix: TextKeys.key(.segment))) { key, value in
            let number = try Self.number(in: key)
            buffer.borrow(value)
            segments.append(try SegmentHead(number, buffer))
            return true
        }
        segments.sort { $0.order == $1.order ? $0.number < $1.number : $0.order < $1.order }
        var rows: [UInt32] = []
        try entries.forEach(KeyRange(prefix: TextKeys.key(.fresh))) { key, value in
            let row = try Self.number(in: key)
            guard row > 0 else { throw Self.damage }
            fresh[RowID(row)] = FreshRow(value)
            freshRows.insert(RowID(row))
            rows.append(row)
            return true
        }
        try readVoided(entries)
        passed = Array(repeating: rows, count: segments.count)
        if !voided.isEmpty { notePassed(rows) }
        segmented = countSegmented()
        self.postingsLimit = postingsLimit ?? Self.usualLimit(texts: segmented.rows)
    }

    /// Whatever a damaged index says, numbers to which those of all rows may be added.
    private func countSegmented() -> (rows: Int, length: Int) {
        var (rows, length) = (0, 0)
        for head in segments {
            rows &+= Int(clamping: head.rows)
            length &+= Int(clamping: head.length)
        }
        for case let segmented? in fresh.values.map(\.segmented) {
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

    private func notePassed(_ fresh: [UInt32]) {
        var all = fresh
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
    func postings(of pattern: TermPattern) -> TermPostings? {
        guard case .postings(let found) = content(Key(pattern: pattern, form: .postings)) else {
            return nil
        }
        return found
    }

    /// The rows and counts of a pattern, if a search has read them.
    func counts(of pattern: TermPattern) -> LeafRows? {
        guard case .counts(let found) = content(Key(pattern: pattern, form: .counts)) else {
            return nil
        }
        return found
    }

    private func content(_ key: Key) -> Content? {
        guard let place = kept.index(forKey: key) else { return nil }
        uses += 1
        kept.values[place].use = uses
        return kept.values[place].content
    }

    /// Keeps postings for the next search.
    func keep(_ found: TermPostings, of pattern: TermPattern) {
        keep(.postings(found), Key(pattern: pattern, form: .postings), size: found.size)
    }

    /// Keeps rows and counts for the next search.
    /// - Returns: whether they are kept.
    @discardableResult
    func keep(_ found: LeafRows, of pattern: TermPattern) -> Bool {
        keep(.counts(found), Key(pattern: pattern, form: .counts), size: found.size)
    }

    /// Keeps that the rows of a pattern cannot be counted.
    func keepUncountable(_ pattern: TermPattern) {
        keep(.uncountable, Key(pattern: pattern, form: .counts), size: 256)
    }

    /// Whether a search has found that the rows of a pattern cannot be counted.
    func isUncountable(_ pattern: TermPattern) -> Bool {
        guard case .uncountable = content(Key(pattern: pattern, form: .counts)) else {
            return false
        }
        return true
    }

    @discardableResult
    private func keep(_ content: Content, _ key: Key, size: Int) -> Bool {
        guard size <= postingsLimit / 2 else { return false }
        if keptSize + size > postingsLimit { letGoOfOldest() }
        uses += 1
        let former = kept.updateValue(Kept(content: content, size: size, use: uses), forKey: key)
        keptSize += size - (former?.size ?? 0)
        return true
    }

    /// Lets go of postings until those that are kept take half of what they may, and then of all that
    /// hold a base that counts nowhere any more.
    private func letGoOfOldest() {
        var bases: Set<ObjectIdentifier> = []
        for (key, old) in kept.sorted(by: { $0.value.use < $1.value.use }) {
            guard keptSize > postingsLimit / 2 else { break }
            letGo(of: key, old)
            if case .counts(let leaf) = old.content, !leaf.isBaseShared {
                bases.insert(ObjectIdentifier(leaf.base))
            }
        }
        for (key, other) in kept {
            guard case .counts(let leaf) = other.content, leaf.isBaseShared,
                bases.contains(ObjectIdentifier(leaf.base))
            else { continue }
            letGo(of: key, other)
        }
    }

    private func letGo(of key: Key, _ old: Kept) {
        kept[key] = nil
        keptSize -= old.size
    }
}
