import CabinetBackend

/// What one commit has done to the objects of some classes.
struct CommitEvents {
    let number: CommitNumber
    /// How many bytes the commit has.
    let size: Int
    /// The triggers that have made it, and those whose commits they were called for.
    let triggers: Set<String>
    let events: [ObjectEvent<StoredObject>]
}

/// Makes events of what commits have put and deleted.
///
/// The former records are those that a commit has itself (``FormerRecords``), that earlier commits have put, or
/// that a reader at the commit before has.
final class EventReader {
    private let backend: any Backend
    private let classes: [TableNames]
    /// Where to begin; `nil` once that has happened, or from `last` on.
    private var start: ChangePosition?
    private var last: CommitNumber = 0
    /// Reads as of `last`; `nil` if former records are not known by it.
    private var before: (any BackendReader)?
    private let keepsReaders: Bool
    private let remembersRecords: Bool
    private var failure: BackendError?
    /// What the commits up to `end` are read from, one after the other.
    private var cursor: (any ChangeCursor)?
    private var end: (reader: any BackendReader, number: CommitNumber, decoder: RecordDecoder?)?
    /// What they have put into rows so far; `nil` for a row that they have deleted.
    private var records: [Place: [UInt8]?] = [:]
    private let buffer = DataBuffer()

    private typealias Place = RowPlace
    private typealias Former = FormerRecord

    /// - Parameters:
    ///   - classes: those whose objects are asked for.
    ///   - start: behind which commit to begin; `nil`: the last one.
    ///   - keepsReaders: whether the engine is to keep former records.
    ///   - remembersRecords: whether what earlier commits have put counts as former records; else, without
    ///     readers, only what a commit says itself.
    init(
        _ backend: any Backend, of classes: [TableNames], after start: ChangePosition?,
        keepsReaders: Bool = true, remembersRecords: Bool = true
    ) {
        (self.backend, self.classes, self.start) = (backend, classes, start)
        (self.keepsReaders, self.remembersRecords) = (keepsReaders, remembersRecords)
        if let start {
            last = start.commit
            return
        }
        do throws(BackendError) {
            let reader = try backend.snapshot(label: "events")
            last = try reader.lastCommit()
            before = reader
        } catch { failure = error }
    }

    /// What the next commit has done; `nil` if there is none yet.
    func next() throws -> CommitEvents? {
        if let failure { throw failure }
        var attempts = 0
        while true {
            do { return try nextCommit() } catch {
                // The cursor may stand behind a commit that was not returned.
                beginAnew()
                attempts += 1
                guard case BackendError.snapshotTooOld = error, attempts < Self.attempts else {
                    throw error
                }
            }
        }
    }

    /// So often readers may be given up, as those of a backend that follows another process are.
    private static let attempts = 8

    /// Goes on behind the last commit that was returned, with a new reader.
    private func beginAnew() {
        if let first = start, last > first.commit { start = nil }
        (end, cursor) = (nil, nil)
    }

    private func nextCommit() throws -> CommitEvents? {
        while true {
            if end == nil {
                let newest: any BackendReader =
                    keepsReaders ? try backend.snapshot(label: "events") : backend
                let number = try newest.lastCommit()
                if start == nil, number <= last { return nil }
                // Also of a position that does not hold any more.
                guard backend.features.contains(.changes) else {
                    throw BackendError.unsupported("the changes of commits")
                }
                cursor = try newCursor()
                end = (newest, number, nil)
            }
            if let end, last < end.number {
                // Perhaps the feed does not have it yet.
                guard let commit = try cursor?.next() else { return nil }
                if commit.number <= end.number {
                    let events = try events(of: commit)
                    last = commit.number
                    return events
                }
            }
            finish()
        }
    }

    private func newCursor() throws(BackendError) -> any ChangeCursor {
        guard let start else { return try backend.changes(after: last) }
        guard backend.features.contains(.lines) else {
            throw .unsupported("the lines of commits")
        }
        return try backend.changes(behind: start)
    }

    /// All commits up to the later reader were read: it has the former records from now on.
    private func finish() {
        if let end {
            (last, start) = (max(last, end.number), nil)
            before = keepsReaders ? end.reader : nil
        }
        (end, cursor, records) = (nil, nil, [:])
    }

    private func events(of commit: CommittedChanges) throws -> CommitEvents {
        guard let end else { throw BackendError.closed }
        var tables: [TableNumber: TableDefinition] = [:]
        let known = try end.reader.tables()
        for names in classes {
            if let table = names.table(among: known) { tables[table.number] = table }
        }
        // What the commit says itself of what it replaces.
        var formers: [Place: Former] = [:]
        var order: [Place] = []
        var written: [Place: [UInt8]?] = [:]
        var newRows: Set<TableNumber> = []
        try commit.forEachOperation { operation in
            switch operation {
            case .putRow(let table, let row, let stored) where tables[table] != nil:
                let place = Place(table: table, row: row)
                let record = [UInt8](stored.dropLast(Operation.checksumSize))
                if written.updateValue(record, forKey: place) == nil { order.append(place) }
            case .deleteRow(let table, let row) where tables[table] != nil:
                let place = Place(table: table, row: row)
                if written.updateValue(nil, forKey: place) == nil { order.append(place) }
            case .unknown(Operation.former, let table, let bytes) where tables[table] != nil:
                if FormerValue.saysNewRows(bytes) { newRows.insert(table) }
                guard let former = FormerValue(bytes), case .row(let row) = former.place else {
                    break
                }
                formers[Place(table: table, row: row)] = FormerRecord(former)
            default: break
            }
        }
        var events: [ObjectEvent<StoredObject>] = []
        var asked: [Place: [UInt8]??] = [:]
        if !order.isEmpty {
            let decoder = try end.decoder ?? RecordDecoder(try StoreSchema(end.reader))
            self.end?.decoder = decoder
            let header = try EventHeader(commit, in: backend)
            for place in order {
                let new = written[place] ?? nil
                let isNew = new != nil && newRows.contains(place.table)
                let said = formers[place] ?? (isNew ? .absent : nil)
                let old = try said ?? former(of: place)
                // A commit that says what it replaces is followed by others that do.
                let isAsked = keepsReaders || remembersRecords && said == nil
                asked[place] = .some(isAsked ? .some(new) : nil)
                guard let number = tables[place.table]?.classNumber,
                    let storedClass = decoder.schema[number],
                    let kind = try decoder.change(
                        from: old, to: FormerRecord(new), place.row, of: storedClass)
                else { continue }
                let id = ObjectID<StoredObject>(
                    store: backend.identity, table: place.table, rowID: place.row)
                events.append(ObjectEvent(id: id, kind: kind, header: header))
            }
        }
        // Only now: where a record cannot be read, the commit is looked at again.
        for (place, record) in asked { records[place] = record }
        return CommitEvents(
            number: commit.number, size: commit.size, triggers: try Self.triggers(of: commit),
            events: events)
    }

    private static func triggers(of commit: CommittedChanges) throws -> Set<String> {
        try commit.notes.reduce(into: []) { names, note in
            guard note.tag == NoteTag.triggers.rawValue else { return }
            let text = String(decoding: note.bytes, as: UTF8.self)
            names.formUnion(text.split(separator: "\n").map(String.init))
        }
    }

    private func former(of place: Place) throws(BackendError) -> Former {
        if let known = records[place] { return known.map { .record($0) } ?? .absent }
        guard let before else { return .unknown }
        buffer.removeAll()
        do throws(BackendError) {
            guard try before.value(of: place.row, in: place.table, into: buffer) else {
                return .absent
            }
        } catch {
            switch error {
            // The class is newer than that reader.
            case .noTable: return .absent
            case .snapshotTooOld: return .unknown
            default: throw error
            }
        }
        return .record(buffer.withUnsafeBytes { [UInt8]($0) })
    }
}
