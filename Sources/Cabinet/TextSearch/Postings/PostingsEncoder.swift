/// Writes blocks of postings; see ``PostingsBlock``. `Sendable`: a value.
struct PostingsEncoder: Sendable {
    /// A block ends behind a row with which its positions take as many bytes: blocks of frequent words in
    /// long texts stay short, too.
    static let byteLimit = 4096

    private var first: UInt32 = 0
    private var last: UInt32 = 0
    private var rowCount = 0
    private var rows: [UInt8] = []
    private var positions: [UInt8] = []

    init() {}

    var isEmpty: Bool { rowCount == 0 }
    /// Whether the block has to end before another row is added.
    var isFull: Bool {
        rowCount == PostingsBlock.rowLimit || positions.count >= Self.byteLimit
    }

    /// Adds a row.
    /// - Precondition: `row` is higher than the rows before, `found` ascends and is not empty, and the
    ///   block is not full.
    mutating func append(row: UInt32, _ found: [UInt32]) {
        found.withUnsafeBufferPointer { append(row: row, $0) }
    }

    /// Adds a row.
    /// - Precondition: as for an array.
    mutating func append(row: UInt32, _ found: UnsafeBufferPointer<UInt32>) {
        precondition(!isFull && (isEmpty || row > last), "Rows ascend.")
        precondition(!found.isEmpty, "A row of a term has a position.")
        let frequency = min(found.count, PostingsBlock.positionLimit)
        let distance = isEmpty ? 0 : UInt64(row &- last &- 1)
        Self.append(distance << 1 | (frequency > 1 ? 1 : 0), to: &rows)
        Self.append(UInt64(found[0]), to: &positions)
        if frequency > 1 {
            Self.append(UInt64(frequency - 2), to: &rows)
            for index in 1..<frequency {
                precondition(found[index - 1] < found[index], "Positions ascend.")
                Self.append(UInt64(found[index] &- found[index - 1] &- 1), to: &positions)
            }
        }
        if isEmpty { first = row }
        last = row
        rowCount &+= 1
    }

    /// Appends the block to `bytes`, and begins the next one.
    /// - Precondition: there is a row.
    mutating func finish(into bytes: inout [UInt8]) {
        precondition(!isEmpty, "A block has a row.")
        Self.append(UInt64(rowCount - 1), to: &bytes)
        Self.append(UInt64(first), to: &bytes)
        Self.append(UInt64(last - first), to: &bytes)
        Self.append(UInt64(rows.count), to: &bytes)
        bytes += rows
        bytes += positions
        rows.removeAll(keepingCapacity: true)
        positions.removeAll(keepingCapacity: true)
        rowCount = 0
    }

    @inline(__always)
    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var number = number
        while number >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: number) | 0x80)
            number >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: number))
    }
}
