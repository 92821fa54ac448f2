/// A row of a block, and how often it has the term.
struct Posting: Sendable, Hashable {
    let row: UInt32
    let frequency: Int
}

/// Goes through the rows of a block. Not `Sendable`: it points into the block.
struct PostingsCursor {
    let block: PostingsBlock
    private var rows: PostingsReader
    private var positions: PostingsReader
    private var index = 0
    /// The row that was read last.
    private(set) var posting: Posting?
    /// How many positions of rows before were not read.
    private var passedOver = 0
    private var hasReadPositions = true

    init(_ bytes: UnsafeRawBufferPointer) throws(PostingsError) {
        block = try PostingsBlock(bytes)
        rows = PostingsReader(bytes, block.rows)
        positions = PostingsReader(bytes, block.positions)
    }

    /// Reads the next row; `nil` behind the last one. Then the rows' part has been checked.
    mutating func next() throws(PostingsError) -> Posting? {
        guard index < block.rowCount else {
            guard rows.isAtEnd else { throw rows.error(.surplus) }
            return nil
        }
        if !hasReadPositions { passedOver += posting?.frequency ?? 0 }
        hasReadPositions = false
        let number = try rows.number()
        let row: UInt64
        if let before = posting?.row {
            row = UInt64(before) + number >> 1 + 1
        } else {
            guard number < 2 else { throw rows.error(.badRows) }
            row = UInt64(block.first)
        }
        index += 1
        let isRight = index < block.rowCount ? row < UInt64(block.last) : row == UInt64(block.last)
        guard isRight else { throw rows.error(.badRows) }
        var frequency = 1
        if number & 1 == 1 {
            frequency = Int(try rows.number(below: UInt64(PostingsBlock.positionLimit) - 1)) + 2
        }
        let next = Posting(row: UInt32(row), frequency: frequency)
        posting = next
        return next
    }

    /// Moves to the first row that is not before `row`: the present one, if it is not; `nil` if there is
    /// none.
    mutating func seek(_ row: UInt32) throws(PostingsError) -> Posting? {
        if let posting, posting.row >= row { return posting }
        while let next = try next() {
            if next.row >= row { return next }
        }
        return nil
    }

    /// Puts the positions of the row that was read last into `found`.
    /// - Precondition: they were not read yet.
    mutating func readPositions(into found: inout [UInt32]) throws(PostingsError) {
        found.removeAll(keepingCapacity: true)
        guard let frequency = posting?.frequency else { return }
        precondition(!hasReadPositions, "Positions of a row are read once.")
        for _ in 0..<passedOver { _ = try positions.number() }
        passedOver = 0
        hasReadPositions = true
        var last: UInt64?
        for _ in 0..<frequency {
            let number = try positions.number()
            let position = last.map { $0 + 1 + number } ?? number
            guard position < 1 << 32 else { throw positions.error(.badPositions) }
            found.append(UInt32(position))
            last = position
        }
        if index == block.rowCount, !positions.isAtEnd { throw positions.error(.surplus) }
    }

    /// Reads a whole block, and so checks each of its bytes.
    static func check(_ bytes: UnsafeRawBufferPointer) throws(PostingsError) {
        var cursor = try PostingsCursor(bytes)
        var found: [UInt32] = []
        while try cursor.next() != nil { try cursor.readPositions(into: &found) }
    }
}
