import CabinetBackend

/// Makes events of what tables of history have of one class, commit by commit. Not `Sendable`.
final class MovedEvents {
    private let look: PastLook
    private let tables: HistoryTables
    private let decoder: RecordDecoder
    private let storedClass: StoreSchema.Class?
    private var commits: ArraySlice<MovedCommit>
    /// What the last commit of the tables has left.
    private lazy var end = Result { () throws(BackendError) in
        try look.reader(asOf: .commit(tables.last))
    }

    /// - Parameters:
    ///   - start: the commits after this one …
    ///   - end: … up to this one.
    init(
        _ look: PastLook, _ tables: HistoryTables, of names: TableNames, after start: CommitNumber,
        upTo end: CommitNumber
    ) throws {
        (self.look, self.tables) = (look, tables)
        let schema = try StoreSchema(look.base)
        decoder = RecordDecoder(schema)
        storedClass = names.table(among: try look.base.tables()).flatMap { schema[$0.classNumber] }
        commits = try tables.commits(after: start).prefix { $0.number <= end }
    }

    /// The events of the next commit that has some; `nil`: there is none any more.
    func next() throws -> [ObjectEvent<StoredObject>]? {
        guard let storedClass else { return nil }
        while let commit = commits.popFirst() {
            let events = try events(of: commit, storedClass)
            if !events.isEmpty { return events }
        }
        return nil
    }

    private func events(
        of commit: MovedCommit, _ storedClass: StoreSchema.Class
    ) throws -> [ObjectEvent<StoredObject>] {
        let rows = try tables.rows(of: storedClass.table, in: commit.number)
        if rows.isEmpty { return [] }
        let header = try EventHeader(commit, in: look.backend)
        return try rows.compactMap { row in
            let place = RowPlace(table: storedClass.table, row: row)
            let change = try tables.change(of: place, in: commit.number)
            let kind = try decoder.change(
                from: change.former, to: change.new ?? content(of: place, after: commit.number),
                row,
                of: storedClass)
            let id = ObjectID<StoredObject>(
                store: look.base.identity, table: place.table, rowID: row)
            return kind.map { ObjectEvent(id: id, kind: $0, header: header) }
        }
    }

    /// What stood in a row after a commit: what the next change has replaced.
    private func content(
        of place: RowPlace, after commit: CommitNumber
    ) throws(BackendError) -> FormerRecord {
        if let next = try tables.nextCommit(of: place, after: commit) {
            return try tables.change(of: place, in: next).former
        }
        let buffer = DataBuffer()
        do throws(BackendError) {
            guard try end.get().value(of: place.row, in: place.table, into: buffer) else {
                return .absent
            }
        } catch {
            // A later commit does not say what it has replaced.
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
