import CabinetBackend

/// Walks over an index in the order of its keys, or against it: rows of equal keys come in ascending
/// order either way.
final class OrderedWalk {
    /// Thrown where an index does not do for the order of a query: a key lacks its end, so that equal ones
    /// may stand for values that are not, or too many objects were met in vain.
    struct Unusable: Error {}

    /// What ``next(_:_:)`` has found.
    private(set) var rows: [RowID] = []
    /// The keys of ``rows``, without a row, if they are kept.
    private(set) var keys: [[UInt8]] = []

    private let reader: any BackendReader
    private let table: TableNumber
    private let isDescending: Bool
    private let keepsKeys: Bool
    private var ranges: [KeyRange]
    private var cursor: (any EntryCursor)?
    /// How many rows are still to be left out.
    private var toDrop: Int

    /// The last group of a walk against the order, whose rows come in the wrong one.
    private var heldKey: [UInt8] = []
    private var held: [RowID] = []
    /// Walks over a group that is too long to be held.
    private var group: (any EntryCursor)?

    /// From how many rows on a group is walked over once more instead of being held.
    private static var longGroup: Int { 512 }

    /// - Parameters:
    ///   - ranges: in their order, none of which overlap.
    ///   - toDrop: how many of the first rows are left out.
    init(
        _ reader: any BackendReader, _ table: TableNumber, _ ranges: [KeyRange],
        isDescending: Bool, keepsKeys: Bool, toDrop: Int
    ) {
        self.reader = reader
        self.table = table
        self.ranges = isDescending ? ranges : ranges.reversed()
        self.isDescending = isDescending
        self.keepsKeys = keepsKeys
        self.toDrop = toDrop
    }

    /// Finds about `count` more rows. `false` at the end, with none found.
    func next(_ count: Int, _ memory: SeekMemory) throws -> Bool {
        rows.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
        while rows.isEmpty {
            guard try isDescending ? step(back: count, memory) : step(count, memory) else {
                return false
            }
        }
        return true
    }

    /// `false` at the end.
    private func step(_ count: Int, _ memory: SeekMemory) throws -> Bool {
        let run = memory.entries
        guard let cursor = try nextCursor() else { return false }
        guard keepsKeys else { return try step(count, cursor, memory.found) }
        guard try cursor.next(run, limit: count + toDrop) else {
            self.cursor = nil
            return true
        }
        while let (key, value) = run.next() { try take(key, value) }
        return true
    }

    /// A step that needs no keys.
    private func step(
        _ count: Int, _ cursor: any EntryCursor, _ found: RowRun
    ) throws -> Bool {
        guard try cursor.next(found, limit: count + toDrop) else {
            self.cursor = nil
            return true
        }
        if found.longestKey > OrderedKey.longestWhole { throw Unusable() }
        let dropped = min(toDrop, found.rows.count)
        toDrop -= dropped
        rows += found.rows[dropped...]
        return true
    }

    private func nextCursor() throws -> (any EntryCursor)? {
        if let cursor { return cursor }
        guard let range = ranges.popLast() else { return nil }
        cursor = try reader.entries(in: table, range: range, descending: isDescending)
        return cursor
    }

    @inline(__always)
    private func take(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
        guard let row = IndexValue.row(of: key, value) else { return }
        let group = try Self.group(of: key, value)
        if toDrop > 0 {
            toDrop -= 1
            return
        }
        rows.append(row)
        if keepsKeys { keys.append(Array(group)) }
    }

    /// The key of an entry without its row.
    @inline(__always)
    static func group(
        of key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws -> UnsafeRawBufferPointer {
        guard let parts = IndexValue.parts(of: key, value) else { throw Unusable() }
        return parts
    }

    // MARK: Against the order

    private func step(back count: Int, _ memory: SeekMemory) throws -> Bool {
        let run = memory.entries
        if let group {
            if try group.next(run, limit: count + toDrop) {
                while let (key, value) = run.next() { try take(key, value) }
                return true
            }
            self.group = nil
            try cursor?.seek(heldKey)
        }
        guard let cursor = try nextCursor() else { return false }
        guard try cursor.next(run, limit: count + toDrop + 1) else {
            flush()
            self.cursor = nil
            return true
        }
        while let (key, value) = run.next() {
            guard let row = IndexValue.row(of: key, value) else { continue }
            let parts = try Self.group(of: key, value)
            if held.isEmpty || !parts.elementsEqual(heldKey) {
                flush()
                heldKey = Array(parts)
            }
            held.append(row)
        }
        if held.count >= Self.longGroup {
            held.removeAll(keepingCapacity: true)
            group = try reader.entries(
                in: table, range: KeyRange(prefix: heldKey), descending: false)
        }
        return true
    }

    /// The rows of the group that is held come next.
    private func flush() {
        for row in held.reversed() {
            if toDrop > 0 {
                toDrop -= 1
                continue
            }
            rows.append(row)
            if keepsKeys { keys.append(heldKey) }
        }
        held.removeAll(keepingCapacity: true)
    }
}
