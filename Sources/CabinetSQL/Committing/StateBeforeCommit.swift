import CabinetBackend

/// The store before a commit, as the batch that is to make it asks. Within the transaction of the commit.
struct StateBeforeCommit: StateBeforeBatch {
    private let session: Session
    private let now: StateAsOf
    private var last: Int64 { now.commit }

    init(_ session: Session) {
        self.session = session
        now = StateAsOf(session, session.state.last)
    }

    func contains(row: RowID, in table: TableNumber) throws(BackendError) -> Bool {
        try now.value(of: row, in: table, checked: false) { _ in } != nil
    }

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        buffer.removeAll()
        return try now.value(forKey: key, in: table) { buffer.writeRawBytes($0) } != nil
    }

    func definition(of table: TableNumber) -> TableDefinition? {
        session.tables.definition(of: table)
    }

    func checkBasis(_ basis: CommitNumber) throws(BackendError) {
        guard session.state.oldest...max(last, session.state.oldest) ~= basis.number else {
            throw .changesGone(oldest: CommitNumber(number: session.state.oldest))
        }
    }

    func hasCommits(since basis: CommitNumber) -> Bool { basis.number < last }

    func hasChanged(
        row: RowID, in table: TableNumber, since basis: CommitNumber
    ) throws(BackendError) -> Bool {
        guard basis.number < last, session.tables.kindOfContent(table) == .record else {
            return false
        }
        return try hasChanged(.row(row), .record, table, basis.number)
    }

    func hasChanged(
        key: UnsafeRawBufferPointer, in table: TableNumber, since basis: CommitNumber
    ) throws(BackendError) -> Bool {
        guard basis.number < last, let kind = session.tables.kindOfContent(table),
            kind != .record
        else { return false }
        return try hasChanged(.key(key), kind, table, basis.number)
    }

    private func hasChanged(
        _ place: Place, _ kind: TableKind, _ table: TableNumber, _ basis: Int64
    ) throws(BackendError) -> Bool {
        let present = try session.statement(.value(kind, table))
        place.bind(to: present, at: 1)
        if let made = try present.firstNumber(),
            made > basis || session.tables.wasDropped(table, after: basis)
        {
            return true
        }
        let past = try session.statement(.pastValue(kind == .record ? .record : .ordered))
        past.bind(Int64(table.rawValue), at: 1)
        place.bind(to: past, at: 2)
        past.bind(basis, at: 3)
        return try past.firstNumber() != nil
    }
}
