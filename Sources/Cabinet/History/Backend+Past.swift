import CabinetBackend

// For tools, which have none of a store's classes.
extension Backend {
    /// A reader as of an earlier moment, which has no indexes.
    /// - Throws: ``BackendError/changesGone(oldest:)``, ``BackendError/unsupported(_:)``.
    package func reader(asOf moment: PastMoment) throws -> any BackendReader {
        try PastLook.with(self, label: "as of") { try $0.reader(asOf: moment) }
    }

    /// What commits have done to the object in a row, oldest first.
    package func events(
        ofRow row: RowID, in table: TableNumber
    ) throws -> [ObjectEvent<StoredObject>] {
        try PastLook.with(self, label: "history") {
            try $0.events(of: RowPlace(table: table, row: row))
        }
    }

    /// What differs from one commit to another one, by class and row.
    package func netChanges(
        from first: CommitNumber, to second: CommitNumber
    ) throws -> [NetChange] {
        try PastLook.with(self, label: "changes") { try $0.changes(from: first, to: second) }
    }
}
