import CabinetBackend

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
    let hasPositions: Bool
    /// How many texts were added, and the sum of their lengths.
    @exclusivity(unchecked) private(set) var rows: Int64 = 0
    @exclusivity(unchecked) private(set) var length: Int64 = 0
    /// Numbers texts from 1: what is 0 in a term is none.
    @exclusivity(unchecked) private var text: UInt32 = 0

    init(hasPositions: Bool) { self.hasPositions = hasPositions }

    deinit {
        table.deallocate()
        places.deallocate()
    }

    var isEmpty: Bool { rows == 0 }
    /// How many bytes of memory the draft takes.
    var size: Int { table.size }

    func removeAll() {
        table.removeAll()
        (rows, length, text) = (0, 0, 0)
    }

    /// Adds a text, and returns its length.
    @discardableResult
    func add(
        _ bytes: UnsafeBufferPointer<UInt8>, of row: RowID, _ source: TextSource
    ) throws -> Int {
        text &+= 1
        let length =
            try hasPositions
            ? addWithPositions(bytes, of: row.rawValue, source)
            : addWithout(bytes, of: row.rawValue, source)
        rows += 1
        self.length += Int64(length)
        return length
    }

    private func addWithPositions(
        _ bytes: UnsafeBufferPointer<UInt8>, of row: UInt32, _ source: TextSource
    ) throws -> Int {
        defer { places.removeAll() }
        let length = try source.forEachTerm(in: bytes) { token in
            enter(table.number(of: token.term), UInt32(truncatingIfNeeded: token.position), row)
        }
        // The length of the text, which each posting has, is known from here on.
        for place in 0..<places.count where places[place].former != Place.another {
            append(place, row, length: UInt32(truncatingIfNeeded: length))
        }
        return length
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
        table.append(row &- place.former, to: term)
        guard place.next != 0 else {
            table.append(length &<< 1, to: term)
            return table.append(place.position, to: term)
        }
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

    private func addWithout(
        _ bytes: UnsafeBufferPointer<UInt8>, of row: UInt32, _ source: TextSource
    ) throws -> Int {
        let length = source.forEachPackedTerm(in: bytes) { term, count in
            note(table.number(ofShort: term, count: count), row)
        }
        if let length { return length }
        return try source.forEachTerm(in: bytes) { token in
            note(table.number(of: token.term), row)
        }
    }

    @inline(__always)
    private func note(_ number: Int, _ row: UInt32) {
        let term = table.term(number)
        if term.pointee.text == text { return }
        table.append(row &- begin(term, row), to: term)
    }
}
