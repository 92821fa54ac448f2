import CTokyoCabinet
import CabinetBackend

/// Puts that wait until their buckets have come from memory, a few at a time.
///
/// Buckets are chosen at random, so in a file that is larger than the processor's cache each put
/// would wait for its bucket. Those of 16 puts are fetched together.
struct PutQueue {
    static let capacity = 16

    struct Entry {
        fileprivate var key: UnsafeRawBufferPointer
        fileprivate var value: UnsafeRawBufferPointer
        fileprivate var writer: HashWriter
        fileprivate var location: HashWriter.Location
        fileprivate var table: TableNumber
    }

    private let entries: UnsafeMutablePointer<Entry>
    /// 16 bytes for each entry, in which the key of a row is written.
    private let keys: UnsafeMutablePointer<UInt8>
    private var count = 0

    /// The memory of a queue, which is made once for many.
    final class Room {
        fileprivate let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
        fileprivate let keys = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 16)

        deinit {
            entries.deallocate()
            keys.deallocate()
        }
    }

    /// An empty queue in `room`, which no other code may use until it is drained for the last time.
    init(in room: Room) {
        entries = room.entries
        keys = room.keys
    }

    /// Puts `value` under the key of `row` when its turn comes. Bytes and file must stay until
    /// then.
    @inline(__always)
    mutating func add(
        _ row: RowID, _ form: KeyForm, _ value: UnsafeRawBufferPointer, _ writer: HashWriter,
        _ table: TableNumber, _ failed: inout Set<TableNumber>
    ) {
        if count == Self.capacity { drain(&failed) }
        let key = Table.key(of: row, form, in: keys + count &* 16)
        finishAdding(key, value, writer, table)
    }

    /// Puts `value` under `key` when its turn comes. Bytes and file must stay until then.
    @inline(__always)
    mutating func add(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ writer: HashWriter,
        _ table: TableNumber, _ failed: inout Set<TableNumber>
    ) {
        if count == Self.capacity { drain(&failed) }
        finishAdding(key, value, writer, table)
    }

    @inline(__always)
    private mutating func finishAdding(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ writer: HashWriter,
        _ table: TableNumber
    ) {
        let location = writer.location(of: key)
        writer.fetch(location)
        (entries + count).initialize(
            to: Entry(key: key, value: value, writer: writer, location: location, table: table))
        count &+= 1
    }

    /// Makes all that was added happen, in its order.
    @inline(never)
    mutating func drain(_ failed: inout Set<TableNumber>) {
        for index in 0..<count { entries[index].writer.fetchRecord(at: entries[index].location) }
        for index in 0..<count {
            let entry = entries + index
            let (key, value) = (entry.pointee.key, entry.pointee.value)
            if entry.pointee.writer.put(key, value, at: entry.pointee.location) { continue }
            let isDone = tchdbput(
                entry.pointee.writer.handle, key.baseAddress ?? Nowhere.address,
                Int32(truncatingIfNeeded: key.count), value.baseAddress ?? Nowhere.address,
                Int32(truncatingIfNeeded: value.count))
            if !isDone { failed.insert(entry.pointee.table) }
        }
        count = 0
    }
}
