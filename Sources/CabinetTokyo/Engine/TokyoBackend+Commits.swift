import CabinetBackend

extension TokyoBackend {
    /// The last commit that reads see: the log's last one, as long as nothing is being committed.
    public func lastCommit() throws(BackendError) -> CommitNumber {
        try checkProcess()
        // While a commit is brought into the views, reads wait for it.
        if hasClosed.load(ordering: .acquiring) { throw .closed }
        return lastVisible
    }

    public func onCommit(
        _ body: @escaping @Sendable (CommitNumber) -> Void
    ) -> Subscription { subscribers.add(body) }

    public func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        try reading(table) { () throws(BackendError) in
            run.removeAll()
            guard let found = self.table(table), found.kind == .record else {
                return .done(rows.count)
            }
            var lookup = RowLookup(rows, in: found, try found.hash())
            var looked = 0
            for place in rows.indices {
                if let damage = lookup.append(place, to: run) { return damage }
                looked += 1
                if run.isFull { break }
            }
            return .done(looked)
        }
    }
}
