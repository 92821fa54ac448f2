import CabinetBackend

extension TermPostings {
    /// Where the terms stand in the texts of some rows, if of each row one posting counts. No position for a
    /// row without one.
    /// - Parameter rows: in ascending order.
    /// - Throws: `DataBufferError` for bytes that are no block.
    func positions(in rows: [UInt32]) throws -> RowPositions {
        let found = bytes.withUnsafeBytes { bytes in
            postings.withUnsafeBufferPointer { postings in
                blocks.withUnsafeBufferPointer { blocks in
                    rows.withUnsafeBufferPointer { rows in
                        PositionReader(
                            bytes: bytes, postings: postings, blocks: blocks, hasVoid: hasVoid,
                            hasLengths: hasLengths
                        )
                        .positions(in: rows)
                    }
                }
            }
        }
        guard let found else {
            throw DataBufferError.invalidValue(type: "positions", offset: 0)
        }
        return found
    }
}

/// Reads positions of some rows. Not `Sendable`: it points to what ``TermPostings`` hold.
private struct PositionReader {
    let bytes: UnsafeRawBufferPointer
    let postings: UnsafeBufferPointer<UInt32>
    let blocks: UnsafeBufferPointer<TermPostings.Block>
    /// Whether there are postings that do not count, with 0 in place of their rows.
    let hasVoid: Bool
    let hasLengths: Bool

    /// Where a row has its posting: the number of the block, that of the posting there, and how many positions
    /// those before it have.
    private struct Place {
        var block: Int32 = -1
        var posting: Int32 = 0
        var before: Int32 = 0
    }

    /// `nil` for bytes that are no block.
    func positions(in rows: UnsafeBufferPointer<UInt32>) -> RowPositions? {
        guard let places = places(of: rows) else { return nil }
        var found = RowPositions(rows: rows.count)
        for place in places {
            if place.block >= 0 {
                guard let block = block(blocks[Int(place.block)]),
                    block.forEachPosition(
                        of: Int(place.posting), before: Int(place.before), { found.append($0) })
                else { return nil }
            }
            found.endRow()
        }
        return found
    }

    @inline(__always)
    private func block(_ block: TermPostings.Block) -> PostingsBlock? {
        PostingsBlock(
            UnsafeRawBufferPointer(
                rebasing: bytes[block.offset..<block.offset &+ block.size]),
            from: block.first, hasLengths: hasLengths)
    }

    /// `nil` for bytes that are no block.
    private func places(of rows: UnsafeBufferPointer<UInt32>) -> [Place]? {
        var places = [Place](repeating: Place(), count: rows.count)
        let areWhole = places.withUnsafeMutableBufferPointer { places in
            var (place, last) = (0, UInt32(0))
            for number in 0..<blocks.count {
                let block = blocks[number]
                // Blocks of one segment follow one another, and so do their places.
                if block.first <= last { place = rows.lowerBound(of: block.first) }
                last = block.last
                while place < rows.count, rows[place] < block.first { place &+= 1 }
                guard place < rows.count, rows[place] <= block.last else { continue }
                guard let own = self.block(block) else { return false }
                var (posting, before) = (0, 0)
                while place < rows.count, rows[place] <= block.last {
                    let row = rows[place]
                    let found = self.posting(of: row, in: block, from: posting)
                    if own.hasSeveral {
                        for passed in posting..<found { before &+= own.frequency(of: passed) }
                    } else {
                        before = found
                    }
                    posting = found
                    guard posting < block.count else { break }
                    if postings[block.start &+ posting] == row {
                        places[place] = Place(
                            block: Int32(truncatingIfNeeded: number),
                            posting: Int32(truncatingIfNeeded: posting),
                            // More than a block can have is refused where it is asked for positions.
                            before: Int32(clamping: before))
                    }
                    place &+= 1
                }
            }
            return true
        }
        return areWhole ? places : nil
    }

    /// The first posting of a block that is not before a row, from `start` on.
    @inline(__always)
    private func posting(of row: UInt32, in block: TermPostings.Block, from start: Int) -> Int {
        let own = UnsafeBufferPointer(
            rebasing: postings[block.start..<block.start &+ block.count])
        guard hasVoid else {
            // Often it is one of the next.
            let near = min(start &+ 2, own.count)
            for place in start..<near where own[place] >= row { return place }
            return near &+ UnsafeBufferPointer(rebasing: own[near...]).lowerBound(of: row)
        }
        var place = start
        while place < own.count, own[place] < row { place &+= 1 }
        return place
    }
}
