import CabinetBackend

extension SQLCore {
    /// Applies what a batch has written: first what says how records are read, where columns show them.
    /// - Returns: whether tables have got columns.
    func apply(
        _ chunks: [UnsafeRawBufferPointer], of batch: WriteBatch, by applying: Applying,
        _ number: Int64, _ session: Session
    ) throws(BackendError) -> Bool {
        try session.shown.look(session)
        var changesColumns = false
        var part = Applying.Part.all
        if session.shown.isOn {
            let touchesCatalog =
                !batch.definitions.isEmpty || batch.usage.contains { $0.table == .catalog }
            if touchesCatalog {
                for chunk in chunks { try applying.apply(chunk, .catalog) }
                part = .content
            }
            changesColumns = try prepareColumns(
                session, commit: number, touchesCatalog: touchesCatalog)
        }
        for chunk in chunks { try applying.apply(chunk, part) }
        return changesColumns
    }

    /// Sees that the columns of a commit's rows can be written. In its transaction, once its changes of the
    /// catalog were applied.
    /// - Parameters:
    ///   - commit: its number.
    ///   - touchesCatalog: whether it changes the catalog.
    /// - Returns: whether tables have got columns.
    private func prepareColumns(
        _ session: Session, commit: Int64, touchesCatalog: Bool, refills: Bool = false
    ) throws(BackendError) -> Bool {
        let isCurrent = try session.shown.isCurrent(
            touchesCatalog: touchesCatalog || refills, session)
        guard !isCurrent else { return false }
        let reader = CatalogOfCommit(session, commit: commit, identity: identity)
        let translator = translator.withLock { $0 }
        let translated = try translator?.tables(of: reader) ?? []
        var making = try ColumnMaking(session, commit: commit)
        let tables = try making.make(translated, refills: refills)
        session.shown.take(tables, at: commit, changesColumns: making.changesColumns)
        return making.changesColumns
    }

    /// Has tables of records show their fields as columns from now on, whichever process writes them, and
    /// writes those of the rows that there are.
    package func showColumns() throws(BackendError) {
        try checkWritable()
        guard translator.withLock({ $0 }) != nil else {
            throw .unsupported("columns before a store has used the backend")
        }
        try pool.write { session throws(BackendError) in
            try settleLeft(session)
            try session.transaction(.writing(isSafe: true)) { () throws(BackendError) in
                if try !host.showsColumns(session.connection) {
                    try session.connection.run(ColumnMaking.table(host.words))
                }
                _ = try prepareColumns(
                    session, commit: session.state.last, touchesCatalog: true, refills: true)
                // All sessions look anew.
                var state = session.state
                state.directory += 1
                try state.write(to: session)
            }
        }
    }
}
