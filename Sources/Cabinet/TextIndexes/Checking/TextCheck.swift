import CabinetBackend
import CabinetTextSearch

/// Compares the postings of a text index, and what its segments say of first letters, with the texts of its records, and its counts with both, as of one
/// commit.
///
/// First by sums of hashes in 4,096 parts, of every place of a word; then the places of parts whose sums
/// differ are compared, as many parts as there is room for. Memory: 16 MiB, beside the rows whose records are
/// to be asked and the words of one text.
final class TextCheck: StepwiseCheck {
    /// So many places are compared one by one.
    private static let collectedLimit = 262_144

    private enum Phase { case records, postings, beginnings, terms, end }

    private let text: CheckedText
    private let snapshot: TextSnapshot
    private let workspace = TokenWorkspace()
    private var phase = Phase.records
    private var sums = PartSums()
    /// Places of parts that are compared, which the index must have.
    private var expected: [UInt64: RowID] = [:]
    private var stray = Set<RowID>()
    /// Rows whose records cannot be read, which is another finding.
    private var unreadable = RowSet()
    private var found: TextCounts
    private var damage: [DataBufferError] = []
    private var records: any RecordCursor
    private var entries: (any EntryCursor)?
    private let recordRun = RecordRun()
    private let entryRun = EntryRun()
    /// The hash of each word of one text without its length, where it stands, and the hash of its beginning, 0 for
    /// none.
    private var words: [(hash: UInt64, position: Int, beginning: UInt64)] = []
    private let form: TextBeginnings
    /// By the hash of each beginning of words of one text how many have it.
    private var beginnings: [UInt64: Int] = [:]
    private let block = BlockReader()

    /// - Throws: a ``BackendError``; `DataBufferError` for entries that every search needs and that are none.
    init(_ text: CheckedText, _ reader: any BackendReader) throws {
        self.text = text
        snapshot = try TextSnapshot(
            text.table, hasLengths: text.tokenizer.hasLengths, reader)
        found = TextCounts(snapshot)
        form = TextBeginnings(text.tokenizer)
        records = try reader.records(in: text.records)
    }

    func step() throws -> Bool {
        switch phase {
        case .records:
            if try records.next(recordRun) {
                while let (row, record) = recordRun.next() { try take(record, at: row) }
            } else {
                try begin(.postings, .postings)
            }
        case .postings:
            if try entries?.next(entryRun) == true {
                while let (key, value) = entryRun.next() { take(key, value) }
            } else {
                try begin(.beginnings, .beginnings)
            }
        case .beginnings:
            if try entries?.next(entryRun) == true {
                while let (key, value) = entryRun.next() { takeBeginning(key, value) }
            } else if !sums.isComparing {
                try begin(.terms, .terms)
            } else {
                phase = .end
            }
        case .terms:
            if try entries?.next(entryRun) == true {
                while let (key, value) = entryRun.next() { takeTerms(key, value) }
            } else {
                try beginComparing()
            }
        case .end: return false
        }
        return true
    }

    private func begin(_ phase: Phase, _ kind: TextKeys.Kind) throws {
        self.phase = phase
        entries = try snapshot.reader.entries(
            in: snapshot.table, range: KeyRange(prefix: TextKeys.key(kind)), descending: false)
    }

    /// Begins the second run, if sums differ.
    private func beginComparing() throws {
        guard sums.differ else {
            phase = .end
            return
        }
        sums.beginComparing(upTo: Self.collectedLimit)
        phase = .records
        records = try snapshot.reader.records(in: text.records)
    }

    // MARK: Records

    private func take(_ record: UnsafeRawBufferPointer, at row: RowID) throws {
        if snapshot.freshRows.contains(row) { return }
        do {
            try text.read(record, row) { bytes in
                if let bytes { enter(bytes, row) }
            }
        } catch is StoreError {
            unreadable.insert(row)
        }
    }

    private func enter(_ bytes: UnsafeBufferPointer<UInt8>, _ row: RowID) {
        words.removeAll(keepingCapacity: words.capacity < 65_536)
        beginnings.removeAll(keepingCapacity: true)
        let length = text.tokenizer.forEachIndexedTerm(in: bytes, workspace) { token in
            let letter = UnsafeRawBufferPointer(
                rebasing: token.term[..<form.length(in: token.term)])
            words.append(
                (
                    Self.hash(of: token.term), token.position,
                    letter.isEmpty ? 0 : Self.hash(ofBeginning: letter)
                ))
        }
        if snapshot.hasLengths, words.count > Tokenizer.placeLimit { leaveOutFurtherPlaces() }
        for word in words where word.beginning != 0 { beginnings[word.beginning, default: 0] += 1 }
        if !sums.isComparing { found.addText(length: length) }
        if !snapshot.hasLengths, length > 0 {
            words.append((TextTerms.end.withUnsafeBytes { Self.hash(of: $0) }, length, 0))
        }
        let noted = snapshot.hasLengths ? length : 0
        for word in words { note(word.hash, row, word.position, length: noted, isOfRecord: true) }
        for (beginning, count) in beginnings {
            note(beginning, row, count, length: noted, isOfRecord: true)
        }
    }

    /// Leaves out the places of a word that an index does not have, as they are too many.
    private func leaveOutFurtherPlaces() {
        var counts: [UInt64: Int] = [:]
        words.removeAll { word in
            counts[word.hash, default: 0] += 1
            return counts[word.hash, default: 0] > Tokenizer.placeLimit
        }
    }

    private static func hash(ofBeginning beginning: UnsafeRawBufferPointer) -> UInt64 {
        TextKeys.beginnings(beginning).withUnsafeBytes { hash(of: $0) }
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
        let hash = UInt64(truncatingIfNeeded: hasher.finalize())
        guard sums.enter(hash, isOfRecord: isOfRecord), !unreadable.contains(row) else { return }
        if isOfRecord {
            expected[hash] = row
        } else if expected.removeValue(forKey: hash) == nil {
            stray.insert(row)
        }
    }

    // MARK: Entries

    private func take(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let entry: PostingEntry
        do throws(DataBufferError) {
            guard let found = try snapshot.postingEntry(key, value) else { return }
            entry = found
        } catch {
            if !sums.isComparing { damage.append(error) }
            return
        }
        guard let term = TextKeys.term(ofPostings: key) else { return }
        if !sums.isComparing { found.add(entry, of: term) }
        let word = term.withUnsafeBytes { Self.hash(of: $0) }
        let gone = snapshot.gone[entry.segment]
        for (index, number) in entry.postings.rows.enumerated() {
            let row = RowID(number)
            if snapshot.freshRows.contains(row) || gone?.contains(row) == true { continue }
            let length = Int(entry.postings.lengths[index])
            for position in entry.postings.positions(of: index) {
                note(word, row, Int(position), length: length, isOfRecord: false)
            }
        }
    }

    private func takeBeginning(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard key.count >= 10, let segment = TextKeys.number(in: key, at: key.count - 8) else {
            return
        }
        if !sums.isComparing { found.noteEntry(of: segment) }
        let beginning = Self.hash(of: UnsafeRawBufferPointer(rebasing: key[..<(key.count - 8)]))
        do throws(DataBufferError) {
            _ = try snapshot.read(key, value, block, hasPositions: false) { block, rows in
                block.forEachCount { posting, frequency, length in
                    if rows[posting] > 0 {
                        note(
                            beginning, RowID(rows[posting]), frequency, length: Int(length),
                            isOfRecord: false)
                    }
                    return true
                }
            }
        } catch {
            if !sums.isComparing { damage.append(error) }
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

    var findings: [GraphFinding] {
        func finding(
            _ kind: GraphFinding.Kind, _ row: RowID? = nil, _ reason: String? = nil
        ) -> GraphFinding {
            GraphFinding(
                kind, className: text.className, row: row, field: text.name, reason: reason)
        }
        return damage.map { finding(.damage, nil, "\($0)") }
            + Set(expected.values).sorted().map { finding(.missingTextEntry, $0) }
            + stray.sorted().map { finding(.strayTextEntry, $0) }
            + found.problems(areTextsKnown: unreadable.isEmpty).map {
                finding(.wrongTextCount, $0.row, $0.reason)
            }
    }
}

extension Tokenizer {
    /// Calls `body` with each term by which an index finds a text. Returns the text's length, as
    /// ``TextSource/forEachTerm(in:_:)`` counts it.
    func forEachIndexedTerm(
        in text: UnsafeBufferPointer<UInt8>, _ workspace: TokenWorkspace, _ body: (Token) -> Void
    ) -> Int {
        struct Enough: Error {}
        var (count, length) = (0, 0)
        do {
            try forEachToken(in: text, workspace) { token in
                guard count < Tokenizer.termLimit else { throw Enough() }
                count += 1
                length = token.position + 1
                body(token)
            }
        } catch {}
        return length
    }
}
