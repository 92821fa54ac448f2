/// The rows that entries end with, copied out of an engine; reused from step to step of a walk.
///
/// The row of an entry is in its last 4 bytes, the highest first: those of its value, or those of its
/// key if it has no value. An entry with fewer bytes has no row.
public final class RowRun {
    /// A run has at most this many rows: 128 KiB of memory.
    public static let fullCount = 1 << 15

    @usableFromInline let memory: UnsafeMutablePointer<RowID>

    // Unchecked, because nothing calls back into a run.

    @exclusivity(unchecked) @usableFromInline var count = 0
    /// The most bytes that a key has, without those of its row.
    @exclusivity(unchecked) public private(set) var longestKey = 0

    /// An empty run. It takes its memory at once, so make one and reuse it.
    public init() { memory = .allocate(capacity: Self.fullCount) }

    deinit { memory.deallocate() }

    /// In the order of the walk. They live until the run changes.
    @inlinable public var rows: UnsafeBufferPointer<RowID> {
        UnsafeBufferPointer(start: memory, count: count)
    }

    /// Whether it is time to hand the run over.
    public var isFull: Bool { count == Self.fullCount }

    /// How many more rows the run takes.
    package var room: Int { Self.fullCount &- count }

    /// Empties the run and keeps its memory.
    public func removeAll() {
        count = 0
        longestKey = 0
    }

    /// For engines: adds the row that an entry ends with, if it has one and the run is not full.
    public func append(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let bytes = value.isEmpty ? key : value
        guard bytes.count >= 4 else { return }
        let row = bytes.loadUnaligned(fromByteOffset: bytes.count &- 4, as: UInt32.self)
        append(
            RowID(UInt32(bigEndian: row)), keySize: value.isEmpty ? key.count &- 4 : key.count)
    }

    /// Takes back the rows behind the first `count`.
    package func removeRows(after count: Int) { self.count = min(self.count, count) }

    /// Adds a row, unless the run is full.
    /// - Parameter keySize: how many bytes its key has without it.
    @inline(__always)
    package func append(_ row: RowID, keySize: Int) {
        guard count < Self.fullCount else { return }
        (memory + count).initialize(to: row)
        count &+= 1
        longestKey = max(longestKey, keySize)
    }
}
