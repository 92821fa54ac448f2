import CabinetBackend

/// The entries that a ``HistoryTable`` gets of one commit.
struct HistoryEntries {
    typealias Entry = (key: [UInt8], value: [UInt8])

    private(set) var entries: [Entry] = []
    /// Those of the other table.
    private(set) var rows: [Entry] = []
    /// How many bytes they take.
    private(set) var size = 0

    /// Whether the commit has changed anything.
    var hasChanges: Bool { !rows.isEmpty }

    /// Takes what a commit says it has replaced, and what it does not say.
    /// - Parameters:
    ///   - time: the latest that a commit before it was made, in microseconds since 1970. A commit that has changed
    ///     nothing has an entry if the clock was set back before it, as the last commit at a date counts.
    ///   - keeping: the tables of which commits have said what they have replaced. Of others no record is kept.
    init(
        _ commit: CommittedChanges, after time: UInt64, keeping: inout Set<TableNumber>
    ) throws(BackendError) {
        let prefix = HistoryKey.commit(commit.number)
        var known: Set<RowPlace> = []
        var knownNames: Set<[UInt8]> = []
        var changed: [RowPlace: LeftRecord] = [:]
        var changedNames: Set<[UInt8]> = []
        var newRows: Set<TableNumber> = []
        try commit.forEachOperation { operation throws(BackendError) in
            switch operation {
            case .putRow(let table, let row, let stored):
                changed[RowPlace(table: table, row: row)] = LeftRecord(stored: stored)
            case .deleteRow(let table, let row):
                changed[RowPlace(table: table, row: row)] = LeftRecord.nothing
            case .putKey(.namedBuffers, let key, _), .deleteKey(.namedBuffers, let key):
                changedNames.insert([UInt8](key))
            case .unknown(Operation.former, let table, let bytes):
                if FormerValue.saysNewRows(bytes) { newRows.insert(table) }
                guard let former = FormerValue(bytes) else { return }
                switch former.place {
                case .row(let row):
                    guard known.insert(RowPlace(table: table, row: row)).inserted else { return }
                    let place = HistoryKey.place(table, row)
                    entries.append((prefix + place, HistoryValue.former(former.stored)))
                case .key(let key) where table == .namedBuffers:
                    let name = [UInt8](key)
                    guard knownNames.insert(name).inserted else { return }
                    add(prefix, HistoryKey.place(ofName: name), HistoryValue.former(former.stored))
                case .key: return
                }
            default: return
            }
        }
        if !newRows.isEmpty {
            let new = changed.lazy.filter { place, left in
                newRows.contains(place.table) && left != .nothing && !known.contains(place)
            }.map(\.key).inOrder { ($0.table, $0.row) < ($1.table, $1.row) }
            for place in new {
                let key = prefix + HistoryKey.place(place.table, place.row)
                entries.append((key, HistoryValue.absent))
            }
            known.formUnion(new)
        }
        changedNames.subtract(knownNames)
        for name in changedNames.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            add(prefix, HistoryKey.place(ofName: name), HistoryValue.unknown)
        }
        for place in known {
            keeping.insert(place.table)
            let key = HistoryKey.place(place.table, place.row) + prefix
            rows.append((key, changed.removeValue(forKey: place)?.value ?? []))
        }
        if !changed.isEmpty { try addGaps(prefix, commit, changed, keeping) }
        if entries.isEmpty, commit.time > time { return }
        entries.append((prefix, try Self.header(of: commit)))
        size = (entries + rows).reduce(0) { $0 + $1.key.count + $1.value.count }
    }

    /// Of rows of which the commit does not say what it has replaced, what it has left is known.
    private mutating func addGaps(
        _ prefix: [UInt8], _ commit: CommittedChanges, _ changed: [RowPlace: LeftRecord],
        _ keeping: Set<TableNumber>
    ) throws(BackendError) {
        var values: [RowPlace: [UInt8]] = [:]
        if changed.keys.contains(where: { keeping.contains($0.table) }) {
            try commit.forEachOperation { operation in
                guard let place = RowPlace(operation), changed[place] != nil,
                    keeping.contains(place.table)
                else { return }
                var stored: UnsafeRawBufferPointer?
                if case .putRow(_, _, let bytes) = operation { stored = bytes }
                values[place] = HistoryValue.unknown(leaving: stored)
            }
        }
        for (place, left) in changed.sorted(by: {
            ($0.key.table, $0.key.row) < ($1.key.table, $1.key.row)
        }) {
            let key = HistoryKey.place(place.table, place.row)
            entries.append((prefix + key, values[place] ?? HistoryValue.unknown))
            rows.append((key + prefix, left.value))
        }
    }

    /// Of a named buffer.
    private mutating func add(_ prefix: [UInt8], _ place: [UInt8], _ value: [UInt8]) {
        entries.append((prefix + place, value))
        rows.append((place + prefix, []))
    }

    private static func header(of commit: CommittedChanges) throws(BackendError) -> [UInt8] {
        func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        return try commit.notes.reduce(bytes(commit.time) + bytes(commit.author)) { header, note in
            header + [note.tag] + bytes(UInt32(note.bytes.count)) + note.bytes
        }
    }
}

/// What a ``HistoryTable`` has of a commit itself. `Sendable`: a value.
struct MovedCommit: Sendable {
    let number: CommitNumber
    private(set) var time: UInt64 = 0
    private(set) var author: UInt32 = 0
    private(set) var notes: [CommittedChanges.Note] = []

    init(_ commit: CommittedChanges, _ notes: [CommittedChanges.Note]) {
        (number, time, author) = (commit.number, commit.time, commit.author)
        self.notes = notes
    }

    /// Reads the value of the commit's own entry, as far as it can be understood.
    init(_ number: CommitNumber, _ header: UnsafeRawBufferPointer) {
        self.number = number
        let buffer = DataBuffer()
        buffer.writeRawBytes(header)
        guard let time = try? buffer.readUInt64(), let author = try? buffer.readUInt32() else {
            return
        }
        (self.time, self.author) = (time, author)
        while buffer.remaining > 0, let tag = try? buffer.readUInt8(),
            let bytes = try? buffer.readBytes()
        {
            notes.append(CommittedChanges.Note(tag: tag, bytes: bytes))
        }
    }
}
