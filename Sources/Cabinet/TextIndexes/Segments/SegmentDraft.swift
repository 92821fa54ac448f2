import CabinetBackend

/// A segment that is being made in memory, from texts in any order.
struct SegmentDraft: ~Copyable {
    /// One term of the text that is being added.
    private struct Place {
        let term: UInt32
        let position: UInt32
    }

    private var table = TermTable()
    private var places: [Place] = []
    private let hasPositions: Bool
    /// How many texts were added, and the sum of their lengths.
    private(set) var rows: Int64 = 0
    private(set) var length: Int64 = 0

    init(hasPositions: Bool) { self.hasPositions = hasPositions }

    var isEmpty: Bool { rows == 0 }
    /// How many bytes of memory the draft takes.
    var size: Int { table.size }

    mutating func removeAll() {
        table.removeAll()
        (rows, length) = (0, 0)
    }

    /// Adds a text, and returns its length.
    @discardableResult
    mutating func add(
        _ text: UnsafeBufferPointer<UInt8>, of row: RowID, _ source: TextSource
    ) throws -> Int {
        places.removeAll(keepingCapacity: true)
        let length = try source.forEachTerm(in: text) { token in
            places.append(
                Place(
                    term: UInt32(table.number(of: token.term)),
                    position: UInt32(truncatingIfNeeded: token.position)))
        }
        enter(row.rawValue, length: UInt32(length))
        rows += 1
        self.length += Int64(length)
        if places.capacity > 65_536 { places = [] }
        return length
    }

    private mutating func enter(_ row: UInt32, length: UInt32) {
        // Few of them mostly, and in order within a term.
        if places.count > 1 {
            places.sort { $0.term == $1.term ? $0.position < $1.position : $0.term < $1.term }
        }
        var start = 0
        while start < places.count {
            let term = Int(places[start].term)
            var end = start + 1
            while end < places.count, places[end].term == places[start].term { end += 1 }
            let former = table.beginPosting(of: term, row: row)
            table.append(row &- former, to: term)
            if hasPositions {
                table.append(length << 1 | (end - start > 1 ? 1 : 0), to: term)
                if end - start > 1 { table.append(UInt32(end - start), to: term) }
                var last: UInt32 = 0
                for place in places[start..<end] {
                    table.append(place.position &- last, to: term)
                    last = place.position
                }
            }
            start = end
        }
    }

    /// Writes all that was added.
    func write(to writer: inout SegmentWriter) throws {
        var bytes: [UInt8] = []
        var postings = Postings()
        for term in table.sorted() {
            table.copyPostings(of: term, into: &bytes)
            postings.removeAll()
            let isInOrder = table.isInOrder(term)
            try bytes.withUnsafeBytes {
                try postings.read(
                    $0, from: 0, hasPositions: hasPositions, isInOrder: isInOrder)
            }
            try table.withBytes(of: term) {
                try writer.write($0, isInOrder ? postings : postings.sorted())
            }
        }
    }
}
