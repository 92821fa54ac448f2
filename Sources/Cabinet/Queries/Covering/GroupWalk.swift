import CLibrary
import CabinetBackend

/// Walks over the keys of an index group by group, and passes over the rest of a long group where
/// nothing of its objects is wanted but their number.
final class GroupWalk {
    /// What becomes of the groups.
    struct Sink {
        /// The number of the group of the object that a cursor stands at.
        let find: (RowCursor) throws -> Int
        /// Adds an object to a group; `nil` if its number is enough.
        let add: ((RowCursor, Int) throws -> Void)?
        /// Adds so many objects to a group; `nil` if that does not matter either.
        let addCount: ((Int, Int) -> Void)?
    }

    private let groups: GroupScan
    private let sink: Sink
    private let source: EntrySource
    private let pending: PendingKeys
    /// Stands at a record of a group whose keys do not give its value back.
    private let record: RowCursor
    private var builder = OrderedKeyBuilder()

    /// The group that the walk is in: what its keys begin with, its number once an object of it is
    /// met, in which range, and how many were met since they were last added.
    private var prefix: [UInt8] = []
    private var group: Int?
    private var rangesLeft = 0
    private var met = 0
    private var groupsMet = 0

    /// How many keys of a group are read before the rest is passed over.
    private static var fewest: Int { 32 }

    init(_ store: Store, _ groups: GroupScan, _ filter: Filter, _ sink: Sink) throws {
        let index = groups.scan.index
        (self.groups, self.sink) = (groups, sink)
        pending = try PendingKeys(store, index)
        record = RowCursor(store, store.fields(of: index.storedClass))
        source = try EntrySource(
            store, index.storedClass, filter, groups.scan, shortestStep: GroupWalk.fewest + 1)
    }

    /// Goes over all groups.
    /// - Throws: ``RowCursor/NotInEntry`` where keys do not say enough, or groups turn out to be so small
    ///   that reading a record of each takes longer than a scan; what the filter and the sink throw.
    func run(_ counts: inout ScanCounts) throws {
        try source.use(&counts) { source in
            while try source.next() { try take(source.cursor) }
            flush()
        }
    }

    private func take(_ cursor: RowCursor) throws {
        guard let key = source.key else {
            flush()
            group = try sink.find(cursor)
            return try add(cursor)
        }
        if group == nil || rangesLeft != source.rangesLeft || !isInGroup(key) {
            flush()
            try begin(key, cursor)
            rangesLeft = source.rangesLeft
        }
        try add(cursor)
        // The rest of a group can be counted without being read.
        if met == Self.fewest, sink.add == nil, groups.scan.isExact { try passOver() }
    }

    private func add(_ cursor: RowCursor) throws {
        met += 1
        if let group { try sink.add?(cursor, group) }
    }

    private func passOver() throws {
        let whole = source.range.intersection(KeyRange(prefix: prefix))
        guard let end = whole.upper else { return }
        if sink.addCount != nil {
            met = max(try source.count(of: whole) - pending.formerCount(in: whole), met)
            source.count(met - Self.fewest)
        }
        flush()
        try source.seek(to: end)
    }

    @inline(__always)
    private func isInGroup(_ key: UnsafeRawBufferPointer) -> Bool {
        prefix.withUnsafeBytes { prefix in
            guard key.count >= prefix.count, let one = key.baseAddress,
                let other = prefix.baseAddress
            else { return prefix.isEmpty }
            return memcmp(one, other, prefix.count) == 0
        }
    }

    /// Begins the group of an object.
    private func begin(_ key: UnsafeRawBufferPointer, _ entry: RowCursor) throws {
        groupsMet += 1
        var start = 0
        for _ in 1..<groups.columns { start = try end(of: key, from: start) }
        if groups.grouping != .valueOfOne {
            let end = try end(of: key, from: start)
            prefix = Array(key[..<end])
            if groups.givesValue, try !isZero(key, start, end) {
                group = try sink.find(entry)
                return
            }
        }
        let costs = source.store.plannerCosts
        if groupsMet > 64,
            Double(groupsMet * costs.lookUp)
                > costs.scan(of: max(source.examined, source.matched))
        {
            throw RowCursor.NotInEntry()
        }
        let records = source.memory.records
        _ = try source.reader.values(
            of: [entry.row][...], in: source.storedClass.table, into: records)
        guard let (found, bytes) = records.next(), try record.take(bytes, at: found) else {
            throw RowCursor.NotInEntry()
        }
        group = try sink.find(record)
        guard groups.grouping == .valueOfOne else { return }
        prefix = try keyOfRecord(prefixOf: key, start)
        // A value that does not equal itself is a group each time.
        if try sink.find(record) != group { throw RowCursor.NotInEntry() }
    }

    private func end(
        of key: UnsafeRawBufferPointer, from start: Int
    ) throws(RowCursor.NotInEntry) -> Int {
        guard let end = EntryReader.end(of: key, from: start) else { throw RowCursor.NotInEntry() }
        return end
    }

    /// Whether a part may stand for two values that are equal: 0 and −0.
    /// - Throws: ``RowCursor/NotInEntry`` if it stands for values that equal nothing.
    private func isZero(
        _ key: UnsafeRawBufferPointer, _ start: Int, _ end: Int
    ) throws(RowCursor.NotInEntry) -> Bool {
        guard groups.grouping == .number, let number = EntryReader.number(in: key, start, end)
        else { return false }
        if number.isNaN { throw RowCursor.NotInEntry() }
        return number == 0
    }

    /// What all keys begin with of objects that have the value of the record.
    /// - Throws: ``RowCursor/NotInEntry`` if `key` does not.
    private func keyOfRecord(
        prefixOf key: UnsafeRawBufferPointer, _ start: Int
    ) throws -> [UInt8] {
        builder.removeAll()
        try groups.scan.index.sources[groups.columns - 1].append(record, &builder)
        let end = start + builder.size
        guard end <= key.count, !builder.isCut,
            builder.withUnsafeBytes({ key[start..<end].elementsEqual($0) })
        else { throw RowCursor.NotInEntry() }
        return Array(key[..<end])
    }

    /// Adds what was met of the group, which ends.
    private func flush() {
        if let group, sink.add == nil, met > 0 { sink.addCount?(met, group) }
        (group, met) = (nil, 0)
    }
}
