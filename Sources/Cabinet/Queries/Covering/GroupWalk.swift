import CLibrary
import CabinetBackend

/// Walks over the keys of an index group by group, and passes over the rest of a long group where
/// nothing of its objects is wanted but their number.
final class GroupWalk {
    /// What becomes of the groups.
    struct Sink {
        /// The number of the group of the object that a candidate stands at.
        let find: (Candidate) throws -> Int
        /// Adds an object to a group; `nil` if its number is enough.
        let add: ((Candidate, Int) throws -> Void)?
        /// Adds so many objects to a group; `nil` if that does not matter either.
        let addCount: ((Int, Int) -> Void)?
    }

    private let store: Store
    private let groups: GroupScan
    private let filter: Filter
    private let sink: Sink
    private let pending: PendingKeys
    private let reader: any BackendReader
    private let entry: Candidate
    private let entries: EntryReader
    /// Stands at a record of a group whose keys do not give its value back.
    private let record: Candidate
    private var builder = OrderedKeyBuilder()

    /// The group that the walk is in: what its keys begin with, its number once an object of it is
    /// met, and how many were met since they were last added.
    private var prefix: [UInt8] = []
    private var group: Int?
    private var met = 0

    private(set) var examined = 0
    private(set) var matched = 0
    private var groupsMet = 0

    /// How many keys of a group are read before the rest is passed over.
    private static var fewest: Int { 32 }

    init(_ store: Store, _ groups: GroupScan, _ filter: Filter, _ sink: Sink) throws {
        let scan = groups.scan
        (self.store, self.groups, self.filter, self.sink) = (store, groups, filter, sink)
        pending = try PendingKeys(store, scan.index)
        reader = try store.readerForWalk()
        let fields = store.fields(of: scan.index.storedClass)
        entry = Candidate(store, fields, ofEntries: true)
        entries = EntryReader(scan.columns)
        record = Candidate(store, fields)
        scan.index.uses += 1
    }

    /// Goes over all groups.
    /// - Throws: ``Candidate/NotInEntry`` where keys do not say enough, or groups turn out to be so small
    ///   that reading a record of each takes longer than a scan; what the filter and the sink throw.
    func run() throws {
        store.enumerations += 1
        defer { store.enumerations -= 1 }
        try store.withSeekMemory { memory in
            for range in groups.scan.ranges { try walk(range, memory) }
        }
        for object in pending.objects where !object.state.contains(.deleted) {
            entry.take(object)
            examined += 1
            guard try filter.accepts(entry) else { continue }
            matched += 1
            let group = try sink.find(entry)
            if let add = sink.add {
                try add(entry, group)
            } else {
                sink.addCount?(1, group)
            }
        }
    }

    /// Whether the rest of a group can be counted without being read.
    private var passesOver: Bool { sink.add == nil && groups.scan.isExact }

    private func walk(_ range: KeyRange, _ memory: SeekMemory) throws {
        let cursor = try reader.entries(in: groups.scan.table, range: range, descending: false)
        let run = memory.entries
        let first = passesOver ? Self.fewest + 1 : 4096
        var size = first
        (group, prefix) = (nil, [])
        while try cursor.next(run, limit: size) {
            while let (key, value) = run.next() {
                guard let row = IndexValue.row(of: key, value),
                    pending.rows.isEmpty || !pending.rows.contains(row)
                else { continue }
                try take(try Store.parts(of: key, value), row, memory)
            }
            guard passesOver, group != nil, met >= Self.fewest else {
                size = min(size * 2, 4096)
                continue
            }
            let whole = range.intersection(KeyRange(prefix: prefix))
            if sink.addCount != nil {
                let count = try reader.count(of: whole, in: groups.scan.table)
                let all = max(count - pending.formerCount(in: whole), met)
                matched += all - met
                met = all
            }
            flush()
            group = nil
            guard let end = whole.upper else { break }
            try cursor.seek(end)
            size = first
        }
        flush()
        group = nil
    }

    @inline(__always)
    private func take(
        _ key: UnsafeRawBufferPointer, _ row: RowID, _ memory: SeekMemory
    ) throws {
        examined += 1
        let isSame = group != nil && isInGroup(key)
        if sink.add != nil || !groups.scan.isExact || !isSame && groups.givesValue {
            try entries.read(key, row, entry)
        }
        if !groups.scan.isExact {
            guard try filter.accepts(entry) else { return }
        }
        matched += 1
        if !isSame { try begin(key, row, memory) }
        guard let group else { return }
        met += 1
        try sink.add?(entry, group)
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
    private func begin(
        _ key: UnsafeRawBufferPointer, _ row: RowID, _ memory: SeekMemory
    ) throws {
        flush()
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
        let costs = store.plannerCosts
        if groupsMet > 64,
            Double(groupsMet * costs.lookUp) > costs.scan(of: max(examined, matched))
        {
            throw Candidate.NotInEntry()
        }
        group = nil
        let table = record.fields.storedClass.table
        _ = try reader.values(of: [row][...], in: table, into: memory.records)
        guard let (found, bytes) = memory.records.next(), try record.take(bytes, at: found) else {
            throw Candidate.NotInEntry()
        }
        group = try sink.find(record)
        guard groups.grouping == .valueOfOne else { return }
        prefix = try keyOfRecord(beginning: key, start)
        // A value that does not equal itself is a group each time.
        if try sink.find(record) != group { throw Candidate.NotInEntry() }
    }

    private func end(
        of key: UnsafeRawBufferPointer, from start: Int
    ) throws(Candidate.NotInEntry) -> Int {
        guard let end = EntryReader.end(of: key, from: start) else { throw Candidate.NotInEntry() }
        return end
    }

    /// Whether a part may stand for two values that are equal: 0 and −0.
    /// - Throws: ``Candidate/NotInEntry`` if it stands for values that equal nothing.
    private func isZero(
        _ key: UnsafeRawBufferPointer, _ start: Int, _ end: Int
    ) throws(Candidate.NotInEntry) -> Bool {
        guard groups.grouping == .number, let number = EntryReader.number(in: key, start, end)
        else { return false }
        if number.isNaN { throw Candidate.NotInEntry() }
        return number == 0
    }

    /// What all keys begin with of objects that have the value of the record.
    /// - Throws: ``Candidate/NotInEntry`` if `key` does not.
    private func keyOfRecord(
        beginning key: UnsafeRawBufferPointer, _ start: Int
    ) throws -> [UInt8] {
        builder.removeAll()
        try groups.scan.index.sources[groups.columns - 1].append(record, &builder)
        let end = start + builder.size
        guard end <= key.count, !builder.isCut,
            builder.withUnsafeBytes({ key[start..<end].elementsEqual($0) })
        else { throw Candidate.NotInEntry() }
        return Array(key[..<end])
    }

    private func flush() {
        if let group, sink.add == nil, met > 0 { sink.addCount?(met, group) }
        met = 0
    }
}
