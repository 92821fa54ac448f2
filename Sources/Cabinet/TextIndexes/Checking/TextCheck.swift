import CabinetBackend
import CabinetTextSearch

/// Compares the postings of a text index with the texts of its records, and its counts with both: of every place
/// of a word.
///
/// Memory: 16 MiB, beside the rows whose records are to be asked and the words of one text.
final class TextCheck: TableCheck {
    private let text: ClassText
    private let snapshot: TextSnapshot
    private var found: TextCounts
    private var damage: [DataBufferError] = []
    /// The hash of each word of one text without its length, and where it stands.
    private var words: [(hash: UInt64, position: Int)] = []

    init(
        _ text: ClassText, _ number: TableNumber, in store: Store, _ reader: any BackendReader
    ) throws {
        self.text = text
        snapshot = try TextSnapshot(
            number, hasLengths: text.index.tokenizer.hasLengths, reader)
        found = TextCounts(snapshot)
        try super.init(text, number, in: store, reader, comparedLimit: 262_144)
    }

    /// Lists of words are looked at once.
    override var ranges: [KeyRange] {
        let kinds: [TextKeys.Kind] = [.postings, .terms]
        return kinds.prefix(isComparing ? 1 : 2).map { KeyRange(prefix: TextKeys.key($0)) }
    }

    override func takeEntry(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of range: Int
    ) {
        switch range {
        case 0: takePostings(key, value)
        default: takeTerms(key, value)
        }
    }

    // MARK: Records

    /// Of others the record itself is asked.
    override func holds(_ row: RowID) -> Bool { !snapshot.unmergedRows.contains(row) }

    override func takeRecord(_ cursor: RowCursor) throws {
        try text.source.withText(of: cursor) {
            if let bytes = $0 { try enter(bytes, cursor.row) }
        }
    }

    private func enter(_ bytes: UnsafeBufferPointer<UInt8>, _ row: RowID) throws {
        words.removeAll(keepingCapacity: words.capacity < 65_536)
        let length = try text.source.forEachTerm(in: bytes) { token in
            words.append((Self.hash(of: token.term), token.position))
        }
        if snapshot.hasLengths, words.count > Tokenizer.placeLimit { leaveOutFurtherPlaces() }
        if !isComparing { found.addText(length: length) }
        if !snapshot.hasLengths, length > 0 {
            words.append((TextTerms.end.withUnsafeBytes { Self.hash(of: $0) }, length))
        }
        let noted = snapshot.hasLengths ? length : 0
        for word in words { note(word.hash, row, word.position, length: noted, isOfRecord: true) }
    }

    /// Leaves out the places of a word that an index does not have, as they are too many.
    private func leaveOutFurtherPlaces() {
        var counts: [UInt64: Int] = [:]
        words.removeAll { word in
            counts[word.hash, default: 0] += 1
            return counts[word.hash, default: 0] > Tokenizer.placeLimit
        }
    }

    private static func hash(of term: UnsafeRawBufferPointer) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: term)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    @inline(__always)
    private func note(
        _ word: UInt64, _ row: RowID, _ position: Int, length: Int, isOfRecord: Bool
    ) {
        var hasher = Hasher()
        hasher.combine(word)
        hasher.combine(row)
        hasher.combine(position)
        hasher.combine(length)
        note(UInt64(truncatingIfNeeded: hasher.finalize()), row, isOfRecord: isOfRecord)
    }

    // MARK: Entries

    private func takePostings(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let entry: PostingEntry
        do throws(DataBufferError) {
            guard let found = try snapshot.postingEntry(key, value) else { return }
            entry = found
        } catch {
            if !isComparing { damage.append(error) }
            return
        }
        guard let term = TextKeys.term(ofPostings: key) else { return }
        if !isComparing { found.add(entry, of: term) }
        let word = term.withUnsafeBytes { Self.hash(of: $0) }
        let gone = snapshot.gone[entry.segment]
        for (index, number) in entry.postings.rows.enumerated() {
            let row = RowID(number)
            if snapshot.unmergedRows.contains(row) || gone?.contains(row) == true { continue }
            let length = Int(entry.postings.lengths[index])
            for position in entry.postings.positions(of: index) {
                note(word, row, Int(position), length: length, isOfRecord: false)
            }
        }
    }

    private func takeTerms(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard let segment = TextKeys.number(in: key, at: 1) else { return }
        do {
            _ = try TermBlock.forEachTerm(in: value) { term, rows in
                found.addListed(term, rows, in: segment)
                return true
            }
        } catch {
            damage.append(.invalidValue(type: "terms", offset: 0))
        }
    }

    override var findings: [CheckFinding] {
        damage.map { finding(.damage, nil, "\($0)") }
            + Set(missing).inOrder().map { finding(.missingTextEntry, $0) }
            + Set(stray).inOrder().map { finding(.strayTextEntry, $0) }
            + found.problems(areTextsKnown: areRecordsKnown).map {
                finding(.wrongTextCount, $0.row, $0.reason)
            }
    }
}
