import CabinetBackend
import CabinetTextSearch

/// A segment that is being made in memory, from texts in any order, each row once.
///
/// Not `Sendable`: one thread at a time. Accesses are not checked for exclusivity at run time: no function
/// keeps one while it calls another that begins one.
final class SegmentDraft {
    /// Where a term stands in the text that is being added.
    private struct Place {
        let term: UInt32
        let position: UInt32
        /// The row of the posting before, in the first place of a term; ``another`` in all others.
        let former: UInt32
        /// The next place of the term; 0 for none.
        var next: UInt32 = 0

        static let another = UInt32.max
    }

    @exclusivity(unchecked) private(set) var table = TermTable()
    @exclusivity(unchecked) private var places = PlainList<Place>()
    /// Terms that were met and are not in ``places`` yet, and the texts that they belong to: a row, the length,
    /// and how many of the terms the texts up to this one have.
    @exclusivity(unchecked) private var met = MetTerms()
    @exclusivity(unchecked) private var texts =
        PlainList<(row: UInt32, length: UInt32, end: UInt32)>()
    private let terms: TextTerms
    let hasLengths: Bool
    /// The number of the segment: random, as other stores make segments, too. The next segment has the next
    /// one, as the entries of a term come in the order of these numbers: where texts are added by ascending
    /// rows, rows come in their order.
    @exclusivity(unchecked) private(set) var number = UInt32.random(in: .min ... .max)
    /// How many texts were added, and the sum of their lengths.
    @exclusivity(unchecked) private(set) var rows: Int64 = 0
    @exclusivity(unchecked) private(set) var length: Int64 = 0
    /// Numbers texts from 1: what is 0 in a term is none.
    @exclusivity(unchecked) private var text: UInt32 = 1

    init(_ tokenizer: Tokenizer) {
        terms = TextTerms(tokenizer)
        hasLengths = tokenizer.hasLengths
    }

    deinit {
        table.deallocate()
        places.deallocate()
        met.deallocate()
        texts.deallocate()
    }

    var isEmpty: Bool { rows == 0 }
    /// How many bytes of memory the draft takes.
    var size: Int { table.size }

    /// Forgets all texts, and begins the next segment.
    func removeAll() {
        number &+= 1
        table.removeAll()
        places.removeAll()
        met.removeAll()
        texts.removeAll()
        (rows, length, text) = (0, 0, 1)
    }

    /// Adds a text, and returns its length.
    @discardableResult
    func add(_ bytes: UnsafeBufferPointer<UInt8>, of row: RowID) throws -> Int {
        let length =
            try hasLengths
            ? addWords(bytes, of: row.rawValue) : addParts(bytes, of: row.rawValue)
        rows += 1
        self.length += Int64(length)
        return length
    }

    private func addWords(_ bytes: UnsafeBufferPointer<UInt8>, of row: UInt32) throws -> Int {
        let length = try terms.forEachTerm(in: bytes) { token in
            if met.isFull { enterMet(ofLast: row) }
            met.append(token, table.hashing)
        }
        texts.append((row, UInt32(truncatingIfNeeded: length), UInt32(met.count)))
        if texts.count == MetTerms.limit { finish() }
        return length
    }

    /// Enters the terms that were met; those behind the last whole text belong to `row`.
    private func enterMet(ofLast row: UInt32) {
        table.find(&met)
        var term = 0
        for text in 0..<texts.count {
            let (row, length, end) = texts[text]
            while term < Int(end) {
                enter(Int(met.numbers[term]), met.positions[term], row)
                term &+= 1
            }
            endText(row, length: length)
        }
        while term < met.count {
            enter(Int(met.numbers[term]), met.positions[term], row)
            term &+= 1
        }
        met.removeAll()
        texts.removeAll()
    }

    /// Enters what still waits; called before the terms are read.
    func finish() {
        if texts.count > 0 { enterMet(ofLast: 0) }
    }

    /// Appends the postings of the text that ends here: its length, which each has, is known from here on.
    @inline(__always)
    private func endText(_ row: UInt32, length: UInt32) {
        for place in 0..<places.count where places[place].former != Place.another {
            append(place, row, length: length)
        }
        places.removeAll()
        text &+= 1
    }

    @inline(__always)
    private func enter(_ number: Int, _ position: UInt32, _ row: UInt32) {
        let term = table.term(number)
        let place = UInt32(truncatingIfNeeded: places.count)
        if term.pointee.text == text {
            places.base[Int(term.pointee.place)].next = place
            places.append(
                Place(
                    term: UInt32(truncatingIfNeeded: number), position: position,
                    former: Place.another))
        } else {
            places.append(
                Place(
                    term: UInt32(truncatingIfNeeded: number), position: position,
                    former: begin(term, row)))
        }
        term.pointee.place = place
    }

    /// Notes that a posting of `row` follows, and returns the row of the one before it: 0 for none.
    @inline(__always)
    private func begin(_ term: UnsafeMutablePointer<TermTable.Term>, _ row: UInt32) -> UInt32 {
        let former = term.pointee.row
        if row <= former { term.pointee.isInOrder = false }
        term.pointee.row = row
        term.pointee.text = text
        return former
    }

    /// Appends the posting of the term that stands at `first`, and at the places after it.
    @inline(__always)
    private func append(_ first: Int, _ row: UInt32, length: UInt32) {
        let place = places[first]
        let term = table.term(Int(place.term))
        guard place.next != 0 else {
            return table.append(row &- place.former, length &<< 1, place.position, to: term)
        }
        table.append(row &- place.former, to: term)
        appendSeveral(place, term, length: length)
    }

    @inline(never)
    private func appendSeveral(
        _ first: Place, _ term: UnsafeMutablePointer<TermTable.Term>, length: UInt32
    ) {
        var count = 1
        var next = first.next
        while next != 0, count < Tokenizer.placeLimit {
            count += 1
            next = places[Int(next)].next
        }
        table.append(length &<< 1 | 1, to: term)
        table.append(UInt32(count), to: term)
        var (place, last) = (first, UInt32(0))
        for index in 0..<count {
            table.append(place.position &- last, to: term)
            last = place.position
            if index + 1 < count { place = places[Int(place.next)] }
        }
    }

    // MARK: Parts of texts

    /// Adds a text of which the postings have no lengths: they can be appended as the terms are met.
    private func addParts(_ bytes: UnsafeBufferPointer<UInt8>, of row: UInt32) throws -> Int {
        var position: UInt32 = 0
        var length = terms.forEachPackedTerm(in: bytes) { term, count in
            note(
                table.number(ofShort: TermKey(term, count: count, table.hashing)), row, position)
            position &+= 1
        }
        if length == nil {
            length = try terms.forEachTerm(in: bytes) { token in
                note(table.number(of: token.term), row, UInt32(truncatingIfNeeded: token.position))
            }
        }
        let found = length ?? 0
        if found > 0 {
            let end = TermKey(UInt64(TextTerms.endByte) << 56, count: 1, table.hashing)
            note(table.number(ofShort: end), row, UInt32(truncatingIfNeeded: found))
        }
        text &+= 1
        return found
    }

    /// Appends a position of a term: one that is not the first in its row as twice the distance from the one
    /// before; the first one as twice its number plus one, and then the distance from the row before.
    @inline(__always)
    private func note(_ number: Int, _ row: UInt32, _ position: UInt32) {
        let term = table.term(number)
        if term.pointee.text == text {
            table.append((position &- term.pointee.place) &<< 1, to: term)
        } else {
            let former = begin(term, row)
            table.append(position &<< 1 | 1, row &- former, to: term)
        }
        term.pointee.place = position
    }
}
