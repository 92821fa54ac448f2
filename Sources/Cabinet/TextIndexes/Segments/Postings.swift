import CabinetBackend

/// Where a term stands: rows in ascending order, and for each how often, in a text of which length,
/// and at which positions.
///
/// A draft has them as a row of numbers of the form ``Varint``: the distance from the row before; if the
/// index has positions, twice the length of the text, plus one if the term stands there several times,
/// then the number of times if there are several, then the distances of the positions from one another.
/// The index itself has ``PostingsBlock``.
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

    /// Reads the block of an entry, whose first row is in its key.
    /// - Throws: `DataBufferError` for bytes that are no block.
    mutating func readBlock(
        _ value: UnsafeRawBufferPointer, from first: UInt32, hasPositions: Bool
    ) throws(DataBufferError) {
        let damage = DataBufferError.invalidValue(type: "postings", offset: 0)
        let bytes = Array(value) + [UInt8](repeating: 0, count: PackedNumbers.padding)
        let isBlock = bytes.withUnsafeBytes { bytes in
            let own = UnsafeRawBufferPointer(rebasing: bytes.dropLast(PackedNumbers.padding))
            guard let block = PostingsBlock(own, from: first, hasPositions: hasPositions) else {
                return false
            }
            return append(block, hasPositions: hasPositions)
        }
        guard isBlock else { throw damage }
    }

    private mutating func append(_ block: PostingsBlock, hasPositions: Bool) -> Bool {
        let start = rows.count
        rows.append(contentsOf: repeatElement(0, count: block.count))
        let areRows = rows.withUnsafeMutableBufferPointer { rows in
            rows.baseAddress.map { block.copyRows(to: $0 + start) } ?? false
        }
        guard areRows else { return false }
        for index in 0..<block.count {
            lengths.append(block.length(of: index))
            if hasPositions {
                let before = positions.count - Int(starts[start])
                let isWhole = block.forEachPosition(of: index, before: before) {
                    positions.append($0)
                }
                guard isWhole else { return false }
            }
            starts.append(UInt32(truncatingIfNeeded: positions.count))
        }
        return true
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
