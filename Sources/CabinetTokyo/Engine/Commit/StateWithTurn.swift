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
        try backend.healWithTurn(table)
        switch try backend.attempt(body) {
        case .done(let result): return result
        case .damage(let path, let offset): throw .corrupt(path: path, offset: offset)
        }
    }
}
