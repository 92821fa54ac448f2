import CabinetBackend

/// The state before a batch, asked for by the thread that has the turn to write.
struct StateWithTurn: StateBeforeBatch {
    private let backend: TokyoBackend

    init(_ backend: TokyoBackend) { self.backend = backend }

    func contains(row: RowID, in table: TableNumber) throws(BackendError) -> Bool {
        let buffer = DataBuffer()
        return try reading(table) { () throws(BackendError) in
            try backend.find(row, in: table, into: buffer)
        }
    }

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        try reading(table) { () throws(BackendError) in
            try backend.find(key, in: table, into: buffer)
        }
    }

    func definition(of table: TableNumber) -> TableDefinition? {
        backend.lock.reading { backend.table(table)?.definition }
    }

    func checkBasis(_ basis: CommitNumber) throws(BackendError) {
        let last = backend.commitLog.lastCommit
        let oldest = backend.lock.reading { () -> CommitNumber? in
            backend.window.knowsChanges(since: basis, last: last)
                ? nil : backend.window.oldest ?? last
        }
        if let oldest { throw .changesGone(oldest: oldest) }
    }

    func hasCommits(since basis: CommitNumber) -> Bool { basis < backend.commitLog.lastCommit }

    func hasChanged(
        row: RowID, in table: TableNumber, since basis: CommitNumber
    ) throws(BackendError) -> Bool {
        guard basis < backend.commitLog.lastCommit else { return false }
        switch backend.lock.reading({ noted(row, in: table, since: basis) }) {
        case .changed: return true
        case .unchanged: return false
        // It was not there at the basis, and what was put since is there unless that is noted.
        case .changedIfThere: return try contains(row: row, in: table)
        }
    }

    func hasChanged(
        key: UnsafeRawBufferPointer, in table: TableNumber, since basis: CommitNumber
    ) throws(BackendError) -> Bool {
        guard basis < backend.commitLog.lastCommit else { return false }
        let noted = try backend.lock.reading { () throws(BackendError) -> Noted in
            try self.noted(key, in: table, since: basis)
        }
        switch noted {
        case .changed: return true
        case .unchanged: return false
        case .changedIfThere: return try value(forKey: key, in: table, into: DataBuffer())
        }
    }

    private enum Noted {
        case changed, unchanged, changedIfThere
    }

    private func noted(
        _ row: RowID, in number: TableNumber, since basis: CommitNumber
    ) -> Noted {
        let window = backend.window
        if window.hasChanged(row: row, in: number, since: basis) { return .changed }
        guard backend.table(number) != nil else {
            // A row of a table that was dropped has changed if it was there.
            guard let dropped = window.content(of: number, at: basis) as? Table,
                case .done(true)? = try? backend.find(row, in: dropped, into: DataBuffer())
            else { return .unchanged }
            return .changed
        }
        let highest = window.highestRow(of: number, at: basis, now: .max)
        return row > highest ? .changedIfThere : .unchanged
    }

    private func noted(
        _ key: UnsafeRawBufferPointer, in number: TableNumber, since basis: CommitNumber
    ) throws(BackendError) -> Noted {
        let window = backend.window
        if try window.hasChanged(key: key, in: number, since: basis) { return .changed }
        guard backend.table(number) != nil else {
            switch window.content(of: number, at: basis) {
            case let kept as KeptLayers:
                return try kept.snapshot.find(key) == nil ? .unchanged : .changed
            case let dropped as Table:
                guard case .done(true) = try backend.find(key, in: dropped, into: DataBuffer())
                else { return .unchanged }
                return .changed
            default: return .unchanged
            }
        }
        return window.isDefined(number, at: basis, now: true) ? .unchanged : .changedIfThere
    }

    /// As ``TokyoBackend/reading(_:_:)``, but a damaged view is rebuilt with the turn that this
    /// thread has already.
    private func reading(
        _ table: TableNumber, _ body: () throws(BackendError) -> TokyoBackend.Reading<Bool>
    ) throws(BackendError) -> Bool {
        do throws(BackendError) {
            if case .done(let result) = try backend.attempt(body) { return result }
        } catch {
            // A save tries again to rebuild such a view.
            guard case .viewUnavailable = error else { throw error }
        }
        try backend.rebuildWithTurn(table)
        switch try backend.attempt(body) {
        case .done(let result): return result
        case .damage(let path, let offset): throw .corrupt(path: path, offset: offset)
        }
    }
}

extension TokyoBackend {
    /// Checks what a batch requires and makes its additions; with the turn.
    func resolve(_ batch: WriteBatch) throws(BackendError) {
        let state = StateWithTurn(self)
        guard let basis = batch.basis, basis < commitLog.lastCommit, !staged.isEmpty else {
            return try batch.resolve(on: state)
        }
        // Mapped: they take no memory but the system's copies of the log.
        var stretches: [FileStretch] = []
        var rooms: [OpenedRecord] = []
        var handedOver: [UnsafeRawBufferPointer] = []
        guard let current = commitLog.current else { throw .logUnusable(path: location) }
        for frame in staged {
            guard
                let stretch = FileStretch(current.file, at: frame.offset, count: Int(frame.size))
            else { throw .corrupt(path: current.file.path, offset: frame.offset) }
            stretches.append(stretch)
            let room = OpenedRecord()
            if files.sealer != nil { rooms.append(room) }
            handedOver.append(
                try Readback.operations(
                    of: frame, stretch.bytes, current.file, commitLog.store, current.number,
                    files.sealer, room))
        }
        try withExtendedLifetime((stretches, rooms)) { () throws(BackendError) in
            try batch.resolve(on: state, handedOver: handedOver)
        }
    }
}
