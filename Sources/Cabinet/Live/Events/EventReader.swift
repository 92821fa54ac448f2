import CabinetBackend
import Foundation

/// Makes events of what commits have put and deleted: with a reader at the commit before them, which
/// has the former records.
final class EventReader<Object: StoredObject> {
    private let backend: any Backend
    private var begun: Result<any BackendReader, BackendError>
    /// What the commits up to `end` are read from, one after the other.
    private var cursor: (any ChangeCursor)?
    private var end: (reader: any BackendReader, number: CommitNumber, decoder: RecordDecoder?)?
    /// What they have put into rows so far; `nil` for a row that they have deleted.
    private var records: [RowID: [UInt8]?] = [:]
    private var events: [ObjectEvent<Object>] = []
    private var nextEvent = 0
    private let buffer = DataBuffer()

    init(_ backend: any Backend) {
        self.backend = backend
        do throws(BackendError) {
            begun = .success(try backend.snapshot(label: "events"))
        } catch { begun = .failure(error) }
    }

    /// The next event; `nil` if there is none yet.
    func next() throws -> ObjectEvent<Object>? {
        while true {
            if nextEvent < events.count {
                nextEvent += 1
                return events[nextEvent - 1]
            }
            (events, nextEvent) = ([], 0)
            guard try readCommit() else { return nil }
        }
    }

    /// Makes the events of the next commit. `false`: there is none.
    private func readCommit() throws -> Bool {
        let before = try begun.get()
        if end == nil {
            let newest = try backend.snapshot(label: "events")
            let number = try newest.lastCommit()
            let first = try before.lastCommit()
            guard number > first else { return false }
            guard backend.features.contains(.changes) else {
                throw BackendError.unsupported("the changes of commits")
            }
            end = (newest, number, nil)
            cursor = try backend.changes(after: first)
        }
        guard let end, let commit = try cursor?.next(), commit.number <= end.number else {
            finish()
            return true
        }
        try makeEvents(of: commit, before)
        if commit.number == end.number { finish() }
        return true
    }

    /// All commits up to the later reader were read: it has the former records from now on.
    private func finish() {
        if let end { begun = .success(end.reader) }
        (end, cursor, records) = (nil, nil, [:])
    }

    private func makeEvents(of commit: CommittedChanges, _ before: any BackendReader) throws {
        guard let end else { return }
        let name = Object.storageName
        guard
            let table = try end.reader.tables().first(where: {
                $0.kind == .record && $0.name == name
            })
        else { return }
        var order: [RowID] = []
        var written: [RowID: [UInt8]?] = [:]
        try commit.forEachOperation { operation in
            switch operation {
            case .putRow(table.number, let row, let stored):
                if written.updateValue(
                    [UInt8](stored.dropLast(Operation.checksumSize)), forKey: row) == nil
                {
                    order.append(row)
                }
            case .deleteRow(table.number, let row):
                if written.updateValue(nil, forKey: row) == nil { order.append(row) }
            default: break
            }
        }
        if order.isEmpty { return }
        let decoder = try end.decoder ?? RecordDecoder(try StoreSchema(end.reader))
        self.end?.decoder = decoder
        guard let storedClass = decoder.schema[table.classNumber] else { return }
        let author = try backend.author(commit.author)
        let made = try StoreCommit(commit, by: author, [:], nil)
        for row in order {
            let new = written[row] ?? nil
            let old = try former(of: row, in: table.number, before)
            records[row] = .some(new)
            guard let kind = try kind(from: old, to: new, row, storedClass, decoder) else {
                continue
            }
            events.append(
                ObjectEvent(
                    id: ObjectID(store: backend.identity, table: table.number, rowID: row),
                    kind: kind, commit: made.number, date: made.date, author: made.author,
                    notes: made.notes))
        }
    }

    private func former(
        of row: RowID, in table: TableNumber, _ before: any BackendReader
    ) throws(BackendError) -> [UInt8]? {
        if let known = records[row] { return known }
        buffer.removeAll()
        do throws(BackendError) {
            guard try before.value(of: row, in: table, into: buffer) else { return nil }
        } catch {
            // The class is newer than that reader.
            guard case .noTable = error else { throw error }
            return nil
        }
        return buffer.withUnsafeBytes { [UInt8]($0) }
    }

    private func kind(
        from old: [UInt8]?, to new: [UInt8]?, _ row: RowID, _ storedClass: StoreSchema.Class,
        _ decoder: RecordDecoder
    ) throws -> ObjectEvent<Object>.Kind? {
        func fields(_ record: [UInt8]) throws -> [DecodedField]? {
            try record.withUnsafeBytes { try decoder.decode($0, row: row, of: storedClass).fields }
        }
        switch (old, new) {
        case (nil, nil): return nil
        case (nil, let new?): return .inserted(try fields(new) ?? [])
        case (let old?, nil): return .deleted(try fields(old) ?? [])
        case (let old?, let new?):
            if old == new { return nil }
            guard let before = try fields(old), let now = try fields(new) else {
                return .changed([])
            }
            let changes = Self.changes(from: before, to: now)
            return changes.isEmpty ? nil : .changed(changes)
        }
    }

    private static func changes(
        from before: [DecodedField], to now: [DecodedField]
    ) -> [FieldChange] {
        let old = Dictionary(before.map { ($0.name, $0.value) }) { first, _ in first }
        let names = Set(now.map(\.name))
        return now.compactMap { field in
            let former = old[field.name]
            return former.map { $0.isSame(as: field.value) } ?? false
                ? nil : FieldChange(name: field.name, old: former, new: field.value)
        }
            + before.filter { !names.contains($0.name) }
            .map { FieldChange(name: $0.name, old: $0.value, new: nil) }
    }
}

extension FieldValue {
    /// As `==`, but what is not a number is the same as what is not one.
    fileprivate func isSame(as other: FieldValue) -> Bool {
        switch (self, other) {
        case (.float(let one), .float(let other)): one == other || one.isNaN && other.isNaN
        case (.double(let one), .double(let other)): one == other || one.isNaN && other.isNaN
        case (.list(let ones), .list(let others)):
            ones.count == others.count && zip(ones, others).allSatisfy { $0.isSame(as: $1) }
        default: self == other
        }
    }
}
