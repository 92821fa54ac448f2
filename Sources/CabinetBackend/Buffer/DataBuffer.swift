/// A run of bytes, written and read from front to back.
///
/// Integers are little-endian and floating-point values big-endian IEEE 754, as in the
/// 2010 format, so a file moves between machines. Writing appends at the end; reading moves a
/// position of its own from the front.
///
/// Writing does not throw. The first write that cannot be done is kept in ``writeError``, and
/// what the buffer holds from then on is never saved. Reads check their bounds and throw
/// ``DataBufferError`` without moving. Bytes left over after the last read are allowed.
///
/// Not `Sendable`: a buffer is reused from object to object, and may borrow the memory of a
/// record for the length of one call.
public final class DataBuffer {
    /// The most bytes that one record may hold: 1 GiB.
    public static let recordLimit = 1 << 30

    @exclusivity(unchecked) @usableFromInline final var base: UnsafeMutableRawPointer
    /// Where the next byte is written; what lies from `origin` to here can be read.
    @exclusivity(unchecked) @usableFromInline final var end: Int
    /// Where the next byte is read.
    @exclusivity(unchecked) @usableFromInline final var cursor: Int
    /// How many bytes may lie at `base`, by the memory and by the limit; 0 while it is borrowed.
    @exclusivity(unchecked) @usableFromInline final var capacity: Int
    /// Where the current record begins: offsets and counts that users see begin here.
    @exclusivity(unchecked) @usableFromInline final var origin: Int

    @exclusivity(unchecked) private var limit = DataBuffer.recordLimit
    /// Whether the buffer is a batch's and a record is being written to it.
    @exclusivity(unchecked) private var isRecordOpen = false

    private var owned: UnsafeMutableRawPointer
    private var ownedCapacity: Int

    /// The class version that wrote the bytes, set for a record while it is read.
    public final package(set) var versionOfData: UInt8 {
        @inlinable @inline(__always) get { version }
        @inlinable @inline(__always) set { version = newValue }
    }
    @exclusivity(unchecked) @usableFromInline final var version: UInt8 = 0

    /// Why a write could not be done: the first reason since the buffer was last emptied.
    @inlinable public final var writeError: (any Error)? { failure }
    @exclusivity(unchecked) @usableFromInline final var failure: (any Error)?

    /// What references are read and written in. Only the `Cabinet` module uses it.
    @usableFromInline package final var context: AnyObject? {
        @inlinable @inline(__always) get { owner }
        @inlinable @inline(__always) set { owner = newValue }
    }
    @exclusivity(unchecked) @usableFromInline final var owner: AnyObject?

    /// How references are written and read, where that is not as records have them. Only the
    /// `Cabinet` module uses it. ``removeAll()`` leaves it, for the encoding goes on.
    @usableFromInline package final var mode: AnyObject? {
        @inlinable @inline(__always) get { form }
        @inlinable @inline(__always) set { form = newValue }
    }
    @exclusivity(unchecked) @usableFromInline final var form: AnyObject?

    /// An empty buffer with room for `capacity` bytes, 16 at least; it grows as it must. Traps where there is
    /// no memory for that many.
    public init(capacity: Int = 256) {
        let room = max(capacity, 16)
        owned = HeapBytes.allocate(room)
        ownedCapacity = room
        base = owned
        self.capacity = room
        end = 0
        cursor = 0
        origin = 0
    }

    deinit { HeapBytes.free(owned) }

    /// How many bytes there are.
    @inlinable public final var count: Int { end &- origin }

    /// How many bytes lie before the next read.
    @inlinable public final var position: Int { cursor &- origin }

    /// How many bytes can still be read.
    @inlinable public final var remaining: Int { end &- cursor }

    /// Reads begin at the front again.
    public final func rewind() { cursor = origin }

    /// Empties the buffer; forgets ``writeError`` and the store it belonged to. Its memory is kept
    /// unless that is more than 4 MiB.
    ///
    /// - Precondition: the buffer was not handed out to write an object to: other objects of the
    ///   same save lie before it.
    public final func removeAll() {
        precondition(!isRecordOpen, "A buffer cannot be emptied while an object is written to it.")
        if ownedCapacity > Self.keptCapacity { giveBackMemory() }
        base = owned
        end = 0
        cursor = 0
        origin = 0
        capacity = ownLimit
        version = 0
        failure = nil
        context = nil
    }

    /// Calls `body` with all bytes. They must not be used after it returns.
    @inlinable
    public final func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: base + origin, count: count))
    }

    /// Keeps `error` as the reason why the content cannot be written, unless there is one already.
    package final func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    package final func clearWriteError() { failure = nil }

    /// Sets ``context``. From record to record it stays the same, and nothing is counted.
    @inlinable @inline(__always)
    package final func setContext(_ new: AnyObject) {
        if context !== new { context = new }
    }
}

// MARK: - Memory

extension DataBuffer {
    /// The most bytes that may lie behind `origin`.
    package final var sizeLimit: Int {
        get { limit }
        set {
            limit = newValue
            if capacity != 0 { capacity = ownLimit }
        }
    }

    /// How many bytes may lie in the buffer's own memory: what `capacity` is unless it is borrowed.
    private final var ownLimit: Int {
        limit < ownedCapacity - origin ? origin + limit : ownedCapacity
    }

    /// Makes what follows `offset` a record of its own, with its own limit, until
    /// ``closeRecord()``.
    package final func openRecord(at offset: Int) {
        setOrigin(offset)
        isRecordOpen = true
        sizeLimit = Self.recordLimit
    }

    /// Makes the whole memory the content again, without a limit.
    package final func closeRecord() {
        setOrigin(0)
        isRecordOpen = false
        sizeLimit = .max
    }

    /// Makes room for `needed` more bytes. `false` if the record would grow beyond its limit or a
    /// write has failed before: then nothing may be written.
    @inline(never) @usableFromInline
    final func grow(for needed: Int) -> Bool {
        guard failure == nil else { return false }
        guard needed <= limit - (end - origin) else {
            fail(DataBufferError.tooLarge(limit: limit))
            return false
        }
        reserve(end + needed)
        return true
    }

    /// Ensures that the memory is the buffer's own and holds at least `total` bytes from `base`.
    package final func reserve(_ total: Int) {
        if capacity == 0 { takeCopyOfBorrowedBytes() }
        guard total > ownedCapacity else { return }
        let room = max(total, ownedCapacity + ownedCapacity / 2)
        owned = HeapBytes.enlarge(owned, to: room)
        ownedCapacity = room
        base = owned
        capacity = ownLimit
    }

    /// An empty buffer keeps no more memory than this: a few of the largest runs of a walk.
    private static let keptCapacity = 4 << 20
    /// What is left of more.
    private static let leastCapacity = 256

    @inline(never)
    private final func giveBackMemory() {
        HeapBytes.free(owned)
        owned = HeapBytes.allocate(Self.leastCapacity)
        ownedCapacity = Self.leastCapacity
    }

    /// Hands the memory over with all it holds, to be freed by ``HeapBytes/free(_:)``; the buffer
    /// is empty then. `nil` if the bytes are borrowed.
    package final func takeMemory() -> UnsafeMutableRawBufferPointer? {
        guard capacity != 0 else { return nil }
        let taken = UnsafeMutableRawBufferPointer(start: owned, count: end)
        owned = HeapBytes.allocate(Self.leastCapacity)
        ownedCapacity = Self.leastCapacity
        removeAll()
        return taken
    }

    private final func takeCopyOfBorrowedBytes() {
        let length = end
        if length > ownedCapacity {
            HeapBytes.free(owned)
            owned = HeapBytes.allocate(length + length / 2)
            ownedCapacity = length + length / 2
        }
        owned.copyMemory(from: base, byteCount: length)
        base = owned
        capacity = ownLimit
    }

    /// Reads from `bytes` without copying them, from the front, until ``removeAll()`` or the next
    /// borrowing. A write takes a copy first. The memory must outlive the reading.
    @inlinable @inline(__always)
    package final func borrow(_ bytes: UnsafeRawBufferPointer) {
        base = bytes.baseAddress.map(UnsafeMutableRawPointer.init(mutating:)) ?? base
        origin = 0
        cursor = 0
        end = bytes.count
        capacity = 0
    }

    /// Replaces the content by `count` bytes that `fill` writes. For engines, which copy a
    /// record's bytes out of their own memory.
    package final func replaceContent(
        capacity room: Int, _ fill: (UnsafeMutableRawPointer) -> Int
    ) {
        removeAll()
        reserve(room)
        end = fill(base)
    }

    /// Counts the first `count` bytes of the memory as written, from its very front: those that
    /// were reserved, with any content, or fewer than there were.
    package final func resize(to count: Int) { end = count }

    /// Makes room for `count` more bytes, which the caller writes. `nil`: as with any write that
    /// cannot be done.
    @inline(__always)
    package final func extend(by count: Int) -> UnsafeMutableRawPointer? {
        guard reserveBytes(count) else { return nil }
        defer { end &+= count }
        return base + end
    }

    /// Takes back what was written after the first `count` bytes of the current record.
    package final func takeBack(to count: Int) { end = origin + count }

    /// Replaces 4 bytes that were written at `offset` of the current record.
    package final func patchUInt32(_ value: UInt32, at offset: Int) {
        guard offset + 4 <= count else { return }
        (base + (origin + offset)).storeBytes(of: value.littleEndian, as: UInt32.self)
    }

    /// The memory from its very front, whatever the current record is.
    package final var memory: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: base, count: end)
    }

    /// What users take for the front.
    @inlinable @inline(__always)
    package final func setOrigin(_ offset: Int) {
        origin = offset
        cursor = offset
    }

    /// Appends bytes without a count.
    @inlinable
    public final func writeRawBytes(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0, reserveBytes(bytes.count) else {
            return
        }
        (base + end).copyMemory(from: source, byteCount: bytes.count)
        end &+= bytes.count
    }

    @inlinable @inline(__always)
    final func reserveBytes(_ needed: Int) -> Bool {
        capacity &- end >= needed || grow(for: needed)
    }

    @inlinable @inline(__always)
    final func check(_ needed: Int) throws(DataBufferError) {
        if end &- cursor < needed {
            throw .truncated(needed: needed, remaining: end &- cursor)
        }
    }
}
