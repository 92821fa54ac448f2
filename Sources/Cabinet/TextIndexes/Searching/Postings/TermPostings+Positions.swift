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

    /// `nil` for bytes that are no block.
    func positions(in rows: UnsafeBufferPointer<UInt32>) -> RowPositions? {
        var found = RowPositions(rows: rows.count)
        // Of rows with several positions, the mark is made once all others are there.
        var several: [Several] = []
        let areWhole = found.setMarks { marks in
            var (place, last) = (0, UInt32(0))
            for block in blocks {
                // Blocks of one segment follow one another, and so do their places.
                if block.first <= last { place = rows.lowerBound(of: block.first) }
                last = block.last
                while place < rows.count, rows[place] < block.first { place &+= 1 }
                guard place < rows.count, rows[place] <= block.last else { continue }
                guard let own = self.block(block) else { return false }
                read(own, block, rows, &place, marks, &several)
            }
            return true
        }
        guard areWhole else { return nil }
        var own: [UInt32] = []
        for row in several {
            own.removeAll(keepingCapacity: true)
            guard
                row.block.forEachPosition(
                    of: row.posting, before: row.before, { own.append($0) }),
                let mark = found.mark(own)
            else { return nil }
            found.setMarks { $0[row.place] = mark }
        }
        return found
    }

    /// A row with several positions, or one of a block in which some rows have several.
    private struct Several {
        let place: Int
        let block: PostingsBlock
        let posting: Int
        /// How many positions the postings before it have.
        let before: Int
    }

    @inline(__always)
    private func block(_ block: TermPostings.Block) -> PostingsBlock? {
        PostingsBlock(
            UnsafeRawBufferPointer(
                rebasing: bytes[block.offset..<block.offset &+ block.size]),
            from: block.first, hasLengths: hasLengths)
    }

    /// Sets the marks of the rows of a block that have one position, from `place` on, moves `place` behind
    /// them, and appends the others to `several`.
    @inline(__always)
    private func read(
        _ own: PostingsBlock, _ block: TermPostings.Block, _ rows: UnsafeBufferPointer<UInt32>,
        _ place: inout Int, _ marks: UnsafeMutableBufferPointer<UInt32>, _ several: inout [Several]
    ) {
        var (posting, before) = (0, 0)
        while place < rows.count, rows[place] <= block.last {
            let row = rows[place]
            let found = self.posting(of: row, in: block, from: posting)
            if own.hasSeveral {
                for passed in posting..<found { before &+= own.frequency(of: passed) }
            }
            posting = found
            guard posting < block.count else { break }
            if postings[block.start &+ posting] == row {
                let position = own.hasSeveral ? RowPositions.none : own.onlyPosition(of: posting)
                if position < RowPositions.several {
                    marks[place] = position
                } else {
                    several.append(
                        Several(
                            place: place, block: own, posting: posting,
                            before: own.hasSeveral ? before : posting))
                }
            }
            place &+= 1
        }
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
