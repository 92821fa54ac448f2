import CabinetBackend

// For tools, which have none of a store's classes.
extension Backend {
    /// A reader as of an earlier moment, which has no indexes.
    /// - Throws: ``BackendError/changesGone(oldest:)``, ``BackendError/unsupported(_:)``.
    package func reader(asOf moment: PastMoment) throws(BackendError) -> any BackendReader {
        try PastLook(over: self, label: "as of").reader(asOf: moment)
    }

    /// What commits have done to the object in a row, oldest first.
    package func events(
        ofRow row: RowID, in table: TableNumber
    ) throws -> [ObjectEvent<StoredObject>] {
        try PastLook(over: self, label: "history").events(of: RowPlace(table: table, row: row))
    }

    /// What differs from one commit to another one, by class and row.
    package func netChanges(
        from first: CommitNumber, to second: CommitNumber
    ) throws -> [NetChange] {
        try PastLook(over: self, label: "changes").changes(from: first, to: second)
    }
}
