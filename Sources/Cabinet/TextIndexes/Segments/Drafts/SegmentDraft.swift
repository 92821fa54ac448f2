import CabinetBackend
import CabinetTextSearch

/// A segment that is being made in memory, from texts in any order, each row once.
///
/// It lists the terms of texts as they come, as numbers from a dictionary, and sorts them when they are written.
/// Not `Sendable`: one thread at a time. Accesses are not checked for exclusivity at run time: no function
/// keeps one while it calls another that begins one.
final class SegmentDraft {
    /// A term of a text.
    private typealias Occurrence = (term: UInt32, position: UInt32)
    /// A text, and where its occurrences end.
    private typealias Text = (row: UInt32, length: UInt32, end: Int)
    /// A term in a text, once occurrences are sorted by their terms.
    private typealias Place = (text: UInt32, position: UInt32)

    @exclusivity(unchecked) private var numbers: [TermKey: UInt32] = [:]
    /// The terms, by their numbers.
    @exclusivity(unchecked) private(set) var terms: [TermKey] = []
    /// Those of one text behind those of the other, in the order of their positions.
    @exclusivity(unchecked) private var occurrences = PlainList<Occurrence>()
    @exclusivity(unchecked) private var texts = PlainList<Text>()
    private let source: TextTerms
    let hasLengths: Bool
    /// The number of the segment: random, as other stores make segments, too. The next segment has the next
    /// one, as the entries of a term come in the order of these numbers: where texts are added by ascending
    /// rows, rows come in their order.
    @exclusivity(unchecked) private(set) var number = UInt32.random(in: .min ... .max)
    /// How many texts were added, and the sum of their lengths.
    var rows: Int64 { Int64(texts.count) }
    @exclusivity(unchecked) private(set) var length: Int64 = 0
    /// How many bytes the terms take.
    @exclusivity(unchecked) private var termsSize = 0

    init(_ tokenizer: Tokenizer) {
        source = TextTerms(tokenizer)
        hasLengths = tokenizer.hasLengths
    }

    deinit {
        occurrences.deallocate()
        texts.deallocate()
    }

    var isEmpty: Bool { texts.count == 0 }
    /// How many bytes of memory the draft takes, with those that it takes while it is written.
    var size: Int {
        termsSize &+ occurrences.count &* 2 &* MemoryLayout<Occurrence>.stride
            &+ texts.count &* MemoryLayout<Text>.stride
    }

    /// Forgets all texts, and begins the next segment.
    func removeAll() {
        number &+= 1
        numbers.removeAll()
        terms.removeAll()
        occurrences.removeAll()
        texts.removeAll()
        (length, termsSize) = (0, 0)
    }

    /// Adds a text, and returns its length.
    @discardableResult
    func add(_ bytes: UnsafeBufferPointer<UInt8>, of row: RowID) throws -> Int {
        var position: UInt32 = 0
        var length = source.forEachPackedTerm(in: bytes) { term, count in
            add(TermKey(short: term, count: count), at: position)
            position &+= 1
        }
        if length == nil {
            length = try source.forEachTerm(in: bytes) { token in
                add(TermKey(token.term), at: UInt32(truncatingIfNeeded: token.position))
            }
        }
        let found = length ?? 0
        if !hasLengths, found > 0 {
            let end = TermKey(short: UInt64(TextTerms.endByte) << 56, count: 1)
            add(end, at: UInt32(truncatingIfNeeded: found))
        }
        texts.append((row.rawValue, UInt32(truncatingIfNeeded: found), occurrences.count))
        self.length += Int64(found)
        return found
    }

    @inline(__always)
    private func add(_ term: TermKey, at position: UInt32) {
        if let number = numbers[term] { return occurrences.append((number, position)) }
        let number = UInt32(terms.count)
        numbers[term] = number
        terms.append(term)
        termsSize &+= term.size
        occurrences.append((number, position))
    }

    // MARK: Writing

    /// Puts all that was added to a batch, as the segment ``number``.
    ///
    /// - Parameter voided: how many rows of older segments do not count any more, and the sum of the
    ///   lengths of their texts.
    func write(
        order: UInt64, to batch: WriteBatch, _ table: TableNumber,
        voiding voided: (rows: Int, length: Int64) = (0, 0)
    ) throws {
        var writer = SegmentWriter(number, hasLengths: hasLengths) { key, value in
            try batch.put(value, for: key, in: table)
        }
        let (places, ends) = sortedPlaces()
        for number in terms.indices.sorted(by: { terms[$0] < terms[$1] }) {
            let start = number == 0 ? 0 : ends[number - 1]
            try terms[number].withBytes { try writer.begin($0) }
            try write(places[start..<ends[number]], to: &writer)
            try writer.end()
        }
        try writer.finish(
            order: order, rows: rows - Int64(voided.rows), length: length - voided.length)
    }

    /// All places, term after term by their numbers, those of each by ascending rows; and where those of each term
    /// end.
    private func sortedPlaces() -> (places: [Place], ends: [Int]) {
        var ends = Array(repeating: 0, count: terms.count)
        for index in 0..<occurrences.count { ends[Int(occurrences[index].term)] += 1 }
        var sum = 0
        // Where those of each term begin, at first.
        for term in ends.indices { (ends[term], sum) = (sum, sum + ends[term]) }
        // Never none: the one empty array that all threads share would be written to.
        let room = max(occurrences.count, 1)
        let places = [Place](unsafeUninitializedCapacity: room) { places, filled in
            for text in (0..<texts.count).sorted(by: { texts[$0].row < texts[$1].row }) {
                for index in (text == 0 ? 0 : texts[text - 1].end)..<texts[text].end {
                    let (term, position) = occurrences[index]
                    places.initializeElement(
                        at: ends[Int(term)], to: (UInt32(truncatingIfNeeded: text), position))
                    ends[Int(term)] += 1
                }
            }
            filled = occurrences.count
        }
        return (places, ends)
    }

    /// Writes the postings of a term.
    private func write(_ places: ArraySlice<Place>, to writer: inout SegmentWriter) throws {
        var start = places.startIndex
        while start < places.endIndex {
            let text = places[start].text
            var end = start + 1
            while end < places.endIndex, places[end].text == text { end += 1 }
            let count = hasLengths ? min(end - start, Tokenizer.placeLimit) : end - start
            try writer.begin(
                texts[Int(text)].row, length: texts[Int(text)].length, frequency: UInt32(count))
            writer.append(places[start].position)
            for place in start + 1..<start + count {
                writer.append(places[place].position &- places[place - 1].position &- 1)
            }
            start = end
        }
    }
}
