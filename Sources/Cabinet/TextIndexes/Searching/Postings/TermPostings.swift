import CabinetBackend

/// The postings of the terms that a pattern stands for: their rows, and the bytes of what else is known of
/// them, which are read for the rows that need it.
///
/// Not `Sendable`: it belongs to the store's isolation domain.
final class TermPostings {
    /// One block.
    struct Block {
        /// Where its rows begin among all.
        let start: Int
        let count: Int
        /// Where its bytes are.
        let offset: Int
        let size: Int
        let first: UInt32
        let last: UInt32
        let typos: UInt8
    }

    let hasLengths: Bool
    // Unchecked, because nothing calls back into what is read.

    @exclusivity(unchecked) private(set) var bytes: [UInt8] = []
    @exclusivity(unchecked) private(set) var blocks: [Block] = []
    /// Of all postings, block after block; 0 for one that does not count.
    @exclusivity(unchecked) private(set) var postings: [UInt32] = []
    /// How many blocks have rows that are not all behind those of the block before.
    @exclusivity(unchecked) private var breaks = 0
    /// Whether the rows are in ascending order, each once.
    var isInOrder: Bool { breaks == 0 }
    @exclusivity(unchecked) private(set) var hasVoid = false
    @exclusivity(unchecked) private(set) var hasTypos = false
    @exclusivity(unchecked) private var last: UInt32 = 0
    /// The rows that count, in ascending order, each once.
    private(set) lazy var rows = distinctRows()
    /// What the scores of all rows are made of, once a search has asked for most of them.
    var counts: RowCounts?

    init(hasLengths: Bool) { self.hasLengths = hasLengths }

    /// About how many bytes of memory it takes.
    var size: Int {
        bytes.count + blocks.count * MemoryLayout<Block>.stride + postings.count * 8
            + (counts?.size ?? 0)
    }

    /// Takes memory for so many blocks, as growing step by step copies, and takes twice as much.
    func reserve(blocks count: Int) {
        let count = min(count, Self.mostReserved)
        blocks.reserveCapacity(count)
        postings.reserveCapacity(count * PostingsBlock.limit)
        bytes.reserveCapacity(count * Self.usualBytes)
    }

    /// What blocks take mostly, of full ones; and so many are expected at most.
    private static let (usualBytes, mostReserved) = (256, 1 << 14)

    /// Adds a block of an entry.
    /// - Parameters:
    ///   - value: the value of the entry.
    ///   - first: the row in its key.
    ///   - passed: the rows that do not count, in ascending order.
    ///   - typos: how many typos the term has.
    /// - Throws: `DataBufferError` for bytes that are no block.
    func append(
        _ value: UnsafeRawBufferPointer, from first: UInt32, passed: [UInt32], typos: Int
    ) throws(DataBufferError) {
        let offset = bytes.count
        bytes.append(contentsOf: value)
        bytes.appendPadding()
        let start = postings.count
        let isBlock = bytes.withUnsafeBytes { bytes in
            let own = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + value.count])
            guard let block = PostingsBlock(own, from: first, hasLengths: hasLengths) else {
                return false
            }
            // Copied from the stack: to fill an array with zeros first takes as long as to read the rows.
            return withUnsafeTemporaryAllocation(
                of: UInt32.self, capacity: PostingsBlock.limit
            ) { rows in
                guard let base = rows.baseAddress, block.copyRows(to: base) else { return false }
                postings.append(
                    contentsOf: UnsafeBufferPointer(start: base, count: block.count))
                return true
            }
        }
        guard isBlock, let end = postings.last else {
            throw DataBufferError.invalidValue(type: "postings", offset: 0)
        }
        blocks.append(
            Block(
                start: start, count: postings.count - start, offset: offset, size: value.count,
                first: first, last: end, typos: UInt8(clamping: typos)))
        if first <= last { breaks += 1 }
        if typos > 0 { hasTypos = true }
        last = end
        if !passed.isEmpty { leaveOut(passed, from: start, first, end) }
    }

    /// Takes the rows that do not count out of the last block, which begins at `start`.
    private func leaveOut(_ passed: [UInt32], from start: Int, _ first: UInt32, _ end: UInt32) {
        passed.withUnsafeBufferPointer { passed in
            postings.withUnsafeMutableBufferPointer { rows in
                let own = UnsafeMutableBufferPointer(rebasing: rows[start...])
                var place = passed.lowerBound(of: first)
                // Found among the rows as they were: a row that is taken out is not looked for again.
                var index = 0
                while place < passed.count, passed[place] <= end {
                    while index < own.count, own[index] < passed[place] { index += 1 }
                    if index < own.count, own[index] == passed[place] {
                        own[index] = 0
                        hasVoid = true
                        index += 1
                    }
                    place += 1
                }
            }
        }
    }

    /// How many postings there are, also those that do not count.
    var count: Int { postings.count }

    private func distinctRows() -> [UInt32] {
        guard isInOrder else { return RowIndex(sorting: postings).rows }
        return hasVoid ? postings.filter { $0 != 0 } : postings
    }

    // MARK: What is known of rows

    /// What the scores of some rows are made of.
    /// - Parameters:
    ///   - index: the rows; `nil` for all.
    ///   - lengths: those of the texts, if the index has none.
    ///   - limit: no more often than this the terms stand in a text.
    /// - Throws: `DataBufferError` for bytes that are no block.
    func counts(
        at index: RowIndex?, lengths: [UInt32]? = nil, limit: Int = Int(UInt32.max)
    ) throws -> RowCounts {
        var isWhole = true
        let isEach = index == nil && isInOrder && !hasVoid
        let index = index ?? RowIndex(rows)
        let counts = RowCounts(index.rows, hasTypos: hasTypos, lengths: lengths, limit: limit) {
            sums in
            forEachBlock(at: index) { block, value, own in
                guard let postings = postingsBlock(value, block) else {
                    isWhole = false
                    return
                }
                let add = { (posting: Int, place: Int) in
                    sums.add(
                        postings.frequency(of: posting), length: postings.length(of: posting),
                        typos: block.typos, at: place)
                }
                if isEach {
                    for posting in 0..<block.count { add(posting, block.start &+ posting) }
                } else {
                    index.forEachPlace(of: own, areAscending: !hasVoid) { add($0, $1) }
                }
            }
        }
        guard isWhole else { throw DataBufferError.invalidValue(type: "postings", offset: 0) }
        return counts
    }

    /// Where the terms stand in the texts of some rows, of each every position once.
    /// - Throws: `DataBufferError` for bytes that are no block.
    func hits(at index: RowIndex) throws -> RowPositions {
        var hits = RowPositions.Collector(rows: index.count)
        var isWhole = true
        forEachBlock(at: index) { block, value, own in
            guard let postings = postingsBlock(value, block) else {
                isWhole = false
                return
            }
            var (next, before) = (0, 0)
            index.forEachPlace(of: own, areAscending: !hasVoid) { posting, place in
                while next < posting {
                    before &+= postings.frequency(of: next)
                    next &+= 1
                }
                hits.begin(place, length: postings.length(of: posting), typos: block.typos)
                isWhole =
                    postings.forEachPosition(of: posting, before: before) {
                        hits.append($0, at: place)
                    } && isWhole
            }
        }
        guard isWhole else { throw DataBufferError.invalidValue(type: "positions", offset: 0) }
        return hits.finish(index, hasTypos: hasTypos)
    }

    @inline(__always)
    private func postingsBlock(
        _ value: UnsafeRawBufferPointer, _ block: Block
    ) -> PostingsBlock? {
        PostingsBlock(value, from: block.first, hasLengths: hasLengths)
    }

    /// Calls `body` with each block that may have one of some rows, its bytes, and its rows.
    @inline(__always)
    private func forEachBlock(
        at index: RowIndex,
        _ body: (Block, UnsafeRawBufferPointer, UnsafeBufferPointer<UInt32>) -> Void
    ) {
        bytes.withUnsafeBytes { bytes in
            postings.withUnsafeBufferPointer { postings in
                for block in blocks where index.hasRow(from: block.first, through: block.last) {
                    let end = block.start &+ block.count
                    body(
                        block,
                        UnsafeRawBufferPointer(
                            rebasing: bytes[block.offset..<block.offset &+ block.size]),
                        UnsafeBufferPointer(rebasing: postings[block.start..<end]))
                }
            }
        }
    }
}
