import CabinetBackend

extension SegmentDraft {
    /// Puts all that was added to a batch, as the segment ``number``.
    ///
    /// - Parameter voided: how many rows of older segments do not count any more, and the sum of the
    ///   lengths of their texts.
    func write(
        order: UInt64, to batch: WriteBatch, _ table: TableNumber,
        voiding voided: (rows: Int, length: Int64) = (0, 0)
    ) throws {
        finish()
        var writer = SegmentWriter(number, hasLengths: hasLengths) { key, value in
            try batch.put(value, for: key, in: table)
        }
        for term in self.table.sorted() {
            let number = Int(term)
            if self.table.terms[number].isInOrder {
                try hasLengths ? write(number, to: &writer) : writeParts(number, to: &writer)
            } else {
                try writer.write(self.table.bytes(of: number), postings(of: number).sorted())
            }
        }
        try writer.finish(
            order: order, rows: rows - Int64(voided.rows), length: length - voided.length)
    }

    /// Writes the postings of a term without lengths, whose rows came in ascending order.
    private func writeParts(_ term: Int, to writer: inout SegmentWriter) throws {
        try writer.begin(table.bytes(of: term))
        var row: UInt32 = 0
        var numbers = DraftNumbers(table, term)
        while let head = numbers.next() {
            if head & 1 != 0 {
                row &+= numbers.next() ?? 0
                try writer.begin(row, length: 0, frequency: 1)
                writer.append(head >> 1)
            } else {
                writer.append(further: (head >> 1) &- 1)
            }
        }
        try writer.end()
    }

    /// Writes the postings of a term, whose rows came in ascending order.
    private func write(_ term: Int, to writer: inout SegmentWriter) throws {
        try writer.begin(table.bytes(of: term))
        var row: UInt32 = 0
        var numbers = DraftNumbers(table, term)
        while let distance = numbers.next() {
            row &+= distance
            let head = numbers.next() ?? 0
            guard head & 1 != 0 else {
                try writer.begin(row, length: head >> 1, frequency: 1)
                writer.append(numbers.next() ?? 0)
                continue
            }
            let count = numbers.next() ?? 1
            try writer.begin(row, length: head >> 1, frequency: count)
            for index in 0..<count {
                let distance = numbers.next() ?? 0
                writer.append(index == 0 ? distance : distance &- 1)
            }
        }
        try writer.end()
    }

    /// The postings of a term without lengths, in the order in which they were added.
    private func partPostings(of term: Int) -> Postings {
        var postings = Postings()
        var (row, position): (UInt32, UInt32) = (0, 0)
        var numbers = DraftNumbers(table, term)
        while let head = numbers.next() {
            position = head & 1 != 0 ? head >> 1 : position &+ head >> 1
            if head & 1 != 0 {
                row &+= numbers.next() ?? 0
                postings.append(row, length: 0, CollectionOfOne(position))
            } else {
                postings.append(further: position)
            }
        }
        return postings
    }

    /// The postings of a term, in the order in which they were added.
    private func postings(of term: Int) -> Postings {
        guard hasLengths else { return partPostings(of: term) }
        var postings = Postings()
        var row: UInt32 = 0
        var numbers = DraftNumbers(table, term)
        var places: [UInt32] = []
        while let distance = numbers.next() {
            row &+= distance
            let head = numbers.next() ?? 0
            places.removeAll(keepingCapacity: true)
            var position: UInt32 = 0
            for _ in 0..<(head & 1 != 0 ? numbers.next() ?? 0 : 1) {
                position &+= numbers.next() ?? 0
                places.append(position)
            }
            postings.append(row, length: head >> 1, places)
        }
        return postings
    }
}

/// Reads the numbers of a term's postings, block after block.
private struct DraftNumbers {
    private let arena: UnsafePointer<UInt8>
    private let term: TermTable.Term
    /// The block after this one.
    private var following: UInt32
    private var place: UnsafePointer<UInt8>
    private var end: UnsafePointer<UInt8>

    init(_ table: TermTable, _ number: Int) {
        arena = UnsafePointer(table.arena.base)
        term = table.terms[number]
        following = term.first
        (place, end) = (arena, arena)
    }

    /// The next number; `nil` at the end. Numbers do not go on in another block.
    @inline(__always)
    mutating func next() -> UInt32? {
        if place == end, !takeBlock() { return nil }
        var byte = place.pointee
        place += 1
        if byte < 0x80 { return UInt32(byte) }
        var number = UInt32(byte & 0x7F)
        var shift: UInt32 = 7
        repeat {
            byte = place.pointee
            place += 1
            number |= UInt32(byte & 0x7F) &<< shift
            shift &+= 7
        } while byte >= 0x80
        return number
    }

    @inline(never)
    private mutating func takeBlock() -> Bool {
        guard following != .max else { return false }
        let block = UnsafeRawPointer(arena + Int(following))
        let isLast = following == term.last
        let used = isLast ? term.cursor - following - 8 : block.load(as: UInt32.self, 4)
        place = (block + 8).assumingMemoryBound(to: UInt8.self)
        end = place + Int(used)
        following = isLast ? .max : block.load(as: UInt32.self, 0)
        return used > 0
    }
}

extension UnsafeRawPointer {
    @inline(__always)
    fileprivate func load<Value: BitwiseCopyable>(as type: Value.Type, _ offset: Int) -> Value {
        loadUnaligned(fromByteOffset: offset, as: type)
    }
}
