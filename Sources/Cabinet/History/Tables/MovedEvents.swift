import CabinetBackend

/// Makes events of what tables of history have of one class, commit by commit. It reads those of many rows at
/// a time. Not `Sendable`.
final class MovedEvents {
    private let look: PastLook
    private let tables: HistoryTables
    private let decoder: RecordDecoder
    private let storedClass: StoreSchema.Class?
    private let last: CommitNumber
    private let walk: HistoryWalk
    /// The commit whose changes come next in the walk.
    private var coming: MovedCommit?
    private var made: ArraySlice<[ObjectEvent<StoredObject>]> = []
    /// What the last commit of the tables has left.
    private lazy var end = Result { () throws(BackendError) in
        try look.reader(asOf: .commit(tables.last))
    }

    /// A change of a row.
    private struct Change {
        let commit: MovedCommit
        let row: RowID
        let former: FormerRecord
        /// `nil`: what the next change of the row has replaced.
        let new: FormerRecord?
    }

    /// - Parameters:
    ///   - start: the commits after this one …
    ///   - end: … up to this one.
    init(
        _ look: PastLook, _ tables: HistoryTables, of names: TableNames, after start: CommitNumber,
        upTo end: CommitNumber
    ) throws {
        (self.look, self.tables, last) = (look, tables, end)
        let schema = try StoreSchema(look.base)
        decoder = RecordDecoder(schema)
        storedClass = names.table(among: try look.base.tables()).flatMap { schema[$0.classNumber] }
        walk = tables.walk(after: start)
    }

    /// The events of the next commit that has some; `nil`: there is none any more.
    func next() throws -> [ObjectEvent<StoredObject>]? {
        guard let storedClass else { return nil }
        while made.isEmpty {
            let changes = try nextChanges(of: storedClass.table)
            if changes.isEmpty { return nil }
            made = try events(of: changes, storedClass)[...]
        }
        return made.popFirst()
    }

    /// The changes of the next commits, whole commits of them, without what the next changes of rows say.
    private func nextChanges(of table: TableNumber) throws(BackendError) -> [Change] {
        var changes: [Change] = []
        var size = 0
        while let (number, content, value) = try walk.next(), number <= last {
            switch content {
            case .commit:
                coming = MovedCommit(number, value)
                if size >= RecordRun.fullSize { return changes }
            case .row(table, let row):
                guard let coming, coming.number == number else { continue }
                let (former, new) = HistoryValue.change(value)
                changes.append(Change(commit: coming, row: row, former: former, new: new))
                size += value.count + MemoryLayout<Change>.size
            default: continue
            }
        }
        return changes
    }

    private func events(
        of changes: [Change], _ storedClass: StoreSchema.Class
    ) throws -> [[ObjectEvent<StoredObject>]] {
        var events: [[ObjectEvent<StoredObject>]] = []
        var header: EventHeader?
        for (change, kind) in zip(changes, try kinds(of: changes, storedClass)) {
            guard let kind else { continue }
            let isNext = header?.number != change.commit.number
            let known = try isNext ? EventHeader(change.commit, in: look.backend) : header
            guard let known else { continue }
            let id = ObjectID<StoredObject>(
                store: look.base.identity, table: storedClass.table, rowID: change.row)
            if isNext { events.append([]) }
            events[events.count - 1].append(ObjectEvent(id: id, kind: kind, header: known))
            header = known
        }
        return events
    }

    /// What became of the rows; `nil`: nothing. Of rows that are read for it, some are in memory at a time.
    private func kinds(
        of changes: [Change], _ storedClass: StoreSchema.Class
    ) throws -> [ObjectEvent<StoredObject>.Kind?] {
        guard let commit = changes.last?.commit.number else { return [] }
        func kind(_ change: Change, _ new: FormerRecord) throws -> ObjectEvent<StoredObject>.Kind? {
            try decoder.change(from: change.former, to: new, change.row, of: storedClass)
        }
        var kinds: [ObjectEvent<StoredObject>.Kind?] = []
        var next: [RowID: Int] = [:]
        /// The last change of each row, where it does not say what it has left.
        var open: [RowID: Int] = [:]
        for index in changes.indices.reversed() {
            let change = changes[index]
            if let new = change.new ?? next[change.row].map({ changes[$0].former }) {
                kinds.append(try kind(change, new))
            } else {
                open[change.row] = index
                kinds.append(nil)
            }
            next[change.row] = index
        }
        kinds.reverse()
        var left = open.keys.inOrder()[...]
        while !left.isEmpty {
            let rows = Array(left.prefix(Self.rowsAtATime))
            left = left.dropFirst(rows.count)
            var found = try tables.contents(of: rows, in: storedClass.table, after: commit)
            let rest = try contentsAtEnd(
                of: rows.filter { found[$0] == nil }, in: storedClass.table)
            found.merge(rest) { known, _ in known }
            for row in rows {
                guard let index = open[row] else { continue }
                kinds[index] = try kind(changes[index], found[row] ?? .unknown)
            }
        }
        return kinds
    }

    private static var rowsAtATime: Int { 1024 }

    /// What stands in rows that no later commit of the tables has changed.
    private func contentsAtEnd(
        of rows: [RowID], in table: TableNumber
    ) throws(BackendError) -> [RowID: FormerRecord] {
        var found: [RowID: FormerRecord] = [:]
        let run = RecordRun()
        var left = rows[...]
        while let row = left.first {
            do throws(BackendError) {
                let reader = try end.get()
                let looked = try reader.values(of: left, in: table, into: run)
                for row in left.prefix(looked) { found[row] = .absent }
                while let (row, value) = run.next() { found[row] = .record([UInt8](value)) }
                left = left.dropFirst(looked)
            } catch {
                // A later commit does not say what it has replaced, in this row or in one of the next.
                guard case .changesGone = error else { throw error }
                found[row] = try content(of: row, in: table)
                left.removeFirst()
            }
        }
        return found
    }

    private func content(
        of row: RowID, in table: TableNumber
    ) throws(BackendError) -> FormerRecord {
        let buffer = DataBuffer()
        do throws(BackendError) {
            guard try end.get().value(of: row, in: table, into: buffer) else { return .absent }
        } catch {
            guard case .changesGone = error else { throw error }
            return .unknown
        }
        return .record(buffer.withUnsafeBytes { [UInt8]($0) })
    }
}

extension EventHeader {
    /// - Throws: why the engine cannot say who has made the commit, or where it stands.
    init(_ commit: MovedCommit, in backend: any Backend) throws(BackendError) {
        try self.init(
            commit.number, commit.time, commit.notes, by: backend.author(commit.author),
            backend.features.contains(.lines) ? backend.position(of: commit.number) : nil)
    }
}
