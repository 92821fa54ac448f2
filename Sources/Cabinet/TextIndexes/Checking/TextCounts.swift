import CabinetBackend

/// Compares what a text index counts with what it holds: of all texts, of each segment, and of each row
/// whose record is to be asked.
struct TextCounts {
    /// Something that was counted wrong.
    struct Problem {
        let row: RowID?
        let reason: String
    }

    /// What is known of one segment.
    private struct Segment {
        var postings: UInt64 = 0
        /// A sum of hashes of the terms and the numbers of their rows, by the postings less that by the
        /// list of terms.
        var terms: UInt64 = 0
    }

    private let snapshot: TextSnapshot
    private var texts = 0
    private var length = 0
    private var segments: [UInt32: Segment] = [:]
    /// The term and segment of the last entry, and how many rows its entries have so far.
    private var last: (term: [UInt8], segment: UInt32, rows: Int)?
    /// What segments say of the lengths of texts that are to be asked.
    private var unmergedLengths: [RowID: UInt32] = [:]

    init(_ snapshot: TextSnapshot) { self.snapshot = snapshot }

    /// A record's text that is not to be asked.
    mutating func addText(length: Int) {
        texts += 1
        self.length += length
    }

    /// An entry: those of one term and segment follow one another.
    mutating func add(_ entry: PostingEntry, of term: [UInt8]) {
        let count = entry.postings.count
        segments[entry.segment, default: Segment()].postings += UInt64(count)
        if last?.segment == entry.segment, last?.term == term {
            last?.rows += count
        } else {
            finishTerm()
            last = (term, entry.segment, count)
        }
        guard !snapshot.unmergedRows.isEmpty else { return }
        guard snapshot.hasLengths || term == TextTerms.end else { return }
        let gone = snapshot.gone[entry.segment]
        for (index, number) in entry.postings.rows.enumerated() {
            let row = RowID(number)
            guard snapshot.unmergedRows.contains(row), gone?.contains(row) != true else { continue }
            unmergedLengths[row] =
                snapshot.hasLengths
                ? entry.postings.lengths[index] : entry.postings.positions(of: index).first
        }
    }

    private mutating func finishTerm() {
        guard let last else { return }
        segments[last.segment, default: Segment()].terms &+= last.term.withUnsafeBytes {
            Self.hash(of: $0, last.rows)
        }
        self.last = nil
    }

    /// A term as the list of a segment has it. All entries come before.
    mutating func addListed(_ term: UnsafeRawBufferPointer, _ rows: Int, in segment: UInt32) {
        finishTerm()
        segments[segment, default: Segment()].terms &-= Self.hash(of: term, rows)
    }

    private static func hash(of term: UnsafeRawBufferPointer, _ rows: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: term)
        hasher.combine(rows)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    /// What is wrong, once all was added.
    ///
    /// - Parameter areTextsKnown: whether every record could be read.
    func problems(areTextsKnown: Bool) -> [Problem] {
        var complete = self
        complete.finishTerm()
        return complete.segmentProblems + (areTextsKnown ? textProblems : []) + unmergedProblems
    }

    private var segmentProblems: [Problem] {
        let heads = Dictionary(snapshot.segments.map { ($0.number, $0) }) { one, _ in one }
        return Set(heads.keys).union(segments.keys).inOrder().flatMap { number -> [Problem] in
            guard let head = heads[number] else {
                return [Problem(row: nil, reason: "segment \(number) has no entry of its own")]
            }
            let segment = segments[number] ?? Segment()
            var problems: [Problem] = []
            if segment.postings != head.postings {
                let reason =
                    "segment \(number) counts \(head.postings) postings and has \(segment.postings)"
                problems.append(Problem(row: nil, reason: reason))
            }
            if segment.terms != 0 {
                let reason =
                    "the list of the words of segment \(number) is not that of its postings"
                problems.append(Problem(row: nil, reason: reason))
            }
            return problems
        }
    }

    private var textProblems: [Problem] {
        var (rows, words) = (0, 0)
        for head in snapshot.segments {
            rows &+= Int(clamping: head.rows)
            words &+= Int(clamping: head.length)
        }
        for case let unmerged? in snapshot.unmerged.values.map(\.segmented) {
            rows &-= 1
            words &-= unmerged
        }
        if rows == texts, words == length { return [] }
        let reason =
            "it counts \(rows) texts of \(words) words; there are \(texts) of \(length) words"
        return [Problem(row: nil, reason: reason)]
    }

    private var unmergedProblems: [Problem] {
        snapshot.unmerged.inOrder { $0.key < $1.key }.compactMap { row, unmerged in
            let found = unmergedLengths[row].map(Int.init)
            if let known = unmerged.segmented {
                // A text without a word is in no posting.
                if let found {
                    if found == known { return nil }
                } else if known == 0 {
                    return nil
                }
            } else if found == nil {
                return nil
            }
            return Problem(
                row: row, reason: "it counts words of the row that its segments do not have")
        }
    }
}
