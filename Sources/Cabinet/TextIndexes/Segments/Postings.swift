import CabinetBackend

/// Where a term stands: rows in ascending order, and for each at which positions, in a text of which length,
/// if the index has lengths. The index itself has ``PostingsBlock``.
struct Postings {
    private(set) var rows: [UInt32] = []
    /// The lengths of the texts.
    private(set) var lengths: [UInt32] = []
    /// Where the positions of each posting begin; one more than there are postings.
    private(set) var starts: [UInt32] = [0]
    private(set) var positions: [UInt32] = []

    var count: Int { rows.count }
    var isEmpty: Bool { rows.isEmpty }

    /// How often the term stands in the text of a posting.
    func frequency(of posting: Int) -> Int { Int(starts[posting + 1] - starts[posting]) }

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

    /// Takes memory for so many postings with a position each.
    mutating func reserve(_ count: Int) {
        rows.reserveCapacity(count)
        lengths.reserveCapacity(count)
        starts.reserveCapacity(count + 1)
        positions.reserveCapacity(count)
    }

    /// Appends a posting with one position.
    @inline(__always)
    mutating func append(_ row: UInt32, length: UInt32, position: UInt32) {
        rows.append(row)
        lengths.append(length)
        positions.append(position)
        starts.append(UInt32(truncatingIfNeeded: positions.count))
    }

    /// Appends a position to the last posting, behind those that it has.
    mutating func append(further position: UInt32) {
        positions.append(position)
        starts[starts.count - 1] += 1
    }

    /// Appends a posting of others.
    mutating func append(_ posting: Int, of others: Postings) {
        append(
            others.rows[posting], length: others.lengths[posting], others.positions(of: posting))
    }

    /// Rows in ascending order, as an entry has them that voids them: each a number of the form ``Varint``,
    /// the distance from the one before; the first one's is from `first`.
    /// - Throws: `DataBufferError` for bytes that are no such rows.
    static func rows(
        _ bytes: UnsafeRawBufferPointer, from first: UInt32
    ) throws(DataBufferError) -> [UInt32] {
        var rows: [UInt32] = []
        var place = 0
        var row = first
        while place < bytes.count {
            guard let distance = Varint.read(bytes, &place) else { throw damage }
            row = row &+ distance
            if let last = rows.last, last >= row { throw damage }
            rows.append(row)
        }
        return rows
    }

    private static var damage: DataBufferError { .invalidValue(type: "postings", offset: 0) }

    /// Reads the block of an entry, whose first row is in its key.
    /// - Throws: `DataBufferError` for bytes that are no block.
    mutating func readBlock(
        _ value: UnsafeRawBufferPointer, from first: UInt32, hasLengths: Bool
    ) throws(DataBufferError) {
        let bytes = Array(value) + [UInt8](repeating: 0, count: PackedNumbers.padding)
        let isBlock = bytes.withUnsafeBytes { bytes in
            let own = UnsafeRawBufferPointer(rebasing: bytes.dropLast(PackedNumbers.padding))
            guard let block = PostingsBlock(own, from: first, hasLengths: hasLengths) else {
                return false
            }
            return append(block)
        }
        guard isBlock else { throw Self.damage }
    }

    private mutating func append(_ block: PostingsBlock) -> Bool {
        let start = rows.count
        rows.append(contentsOf: repeatElement(0, count: block.count))
        let areRows = rows.withUnsafeMutableBufferPointer { rows in
            rows.baseAddress.map { block.copyRows(to: $0 + start) } ?? false
        }
        guard areRows else { return false }
        for index in 0..<block.count {
            lengths.append(block.length(of: index))
            let before = positions.count - Int(starts[start])
            let isWhole = block.forEachPosition(of: index, before: before) { positions.append($0) }
            guard isWhole else { return false }
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
