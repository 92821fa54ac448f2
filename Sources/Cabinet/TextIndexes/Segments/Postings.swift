import CabinetBackend

/// Where a term stands: rows in ascending order, and for each how often, in a text of which length,
/// and at which positions.
///
/// A block is a row of postings: the distance from the row before it (from the one in the key at first);
/// if the index has positions, twice the length of the text, plus one if the term stands there
/// several times, then the number of times if there are several, then the distances of the positions
/// from one another. All of them are of the form ``Varint``.
struct Postings {
    private(set) var rows: [UInt32] = []
    /// The lengths of the texts.
    private(set) var lengths: [UInt32] = []
    /// Where the positions of each posting begin; one more than there are postings.
    private(set) var starts: [UInt32] = [0]
    private(set) var positions: [UInt32] = []

    var count: Int { rows.count }
    var isEmpty: Bool { rows.isEmpty }

    /// How often the term stands in the text of a posting; 1 without positions.
    func frequency(of posting: Int) -> Int {
        max(Int(starts[posting + 1] - starts[posting]), 1)
    }

    /// The positions of a posting, in ascending order.
    func positions(of posting: Int) -> ArraySlice<UInt32> {
        positions[Int(starts[posting])..<Int(starts[posting + 1])]
    }

    mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        starts.append(0)
        positions.removeAll(keepingCapacity: true)
    }

    mutating func append(_ row: UInt32, length: UInt32, _ places: some Sequence<UInt32>) {
        rows.append(row)
        lengths.append(length)
        positions.append(contentsOf: places)
        starts.append(UInt32(positions.count))
    }

    /// Appends a posting of others.
    mutating func append(_ posting: Int, of others: Postings) {
        append(
            others.rows[posting], length: others.lengths[posting], others.positions(of: posting))
    }

    /// Reads postings that follow one another from row `first` on.
    /// - Throws: `DataBufferError` for bytes that are no postings: what was read before stays.
    mutating func read(
        _ bytes: UnsafeRawBufferPointer, from first: UInt32, hasPositions: Bool,
        isInOrder: Bool = true
    ) throws(DataBufferError) {
        var place = 0
        var row = first
        let damage = DataBufferError.invalidValue(type: "postings", offset: 0)
        while place < bytes.count {
            guard let distance = Varint.read(bytes, &place) else { throw damage }
            row = row &+ distance
            if isInOrder, let last = rows.last, last >= row { throw damage }
            guard hasPositions else {
                append(row, length: 0, [])
                continue
            }
            guard let head = Varint.read(bytes, &place) else { throw damage }
            var count: UInt32 = 1
            if head & 1 != 0 {
                guard let several = Varint.read(bytes, &place) else { throw damage }
                count = several
            }
            // Each takes a byte at least.
            guard count > 0, Int(count) <= bytes.count - place else { throw damage }
            rows.append(row)
            lengths.append(head >> 1)
            var position: UInt32 = 0
            for _ in 0..<count {
                guard let step = Varint.read(bytes, &place) else { throw damage }
                position = position &+ step
                positions.append(position)
            }
            starts.append(UInt32(positions.count))
        }
    }

    /// Appends the bytes of a posting; `former` is the row of the one before it in the block.
    func write(_ posting: Int, after former: UInt32, hasPositions: Bool, to bytes: inout [UInt8]) {
        Varint.append(rows[posting] &- former, to: &bytes)
        guard hasPositions else { return }
        let places = positions(of: posting)
        Varint.append(lengths[posting] << 1 | (places.count > 1 ? 1 : 0), to: &bytes)
        if places.count > 1 { Varint.append(UInt32(places.count), to: &bytes) }
        var last: UInt32 = 0
        for place in places {
            Varint.append(place &- last, to: &bytes)
            last = place
        }
    }

    /// The same in ascending order of the rows.
    func sorted() -> Postings {
        var result = Postings()
        for index in rows.indices.sorted(by: { rows[$0] < rows[$1] }) {
            result.append(index, of: self)
        }
        return result
    }
}
