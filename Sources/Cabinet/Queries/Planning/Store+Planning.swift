import CabinetBackend

extension Store {
    /// How a query with that condition comes to the objects of `storedClass`: the quickest way to
    /// `purpose`, of which the declared fields `read` are read alone; `nil` for more than such.
    func accessPath(
        _ condition: Condition, _ storedClass: StoredClass, for purpose: PathPurpose = .records,
        reading read: FieldsRead? = nil
    ) throws -> AccessPath {
        guard let indexes = try indexKeeper?.indexes(of: storedClass), !indexes.all.isEmpty else {
            return .scan
        }
        let planner = RowPlanner(self, indexes, purpose)
        return try planner.path(condition, reading: read)
    }

    /// Reads as of the store's basis, by `body`, which may be called twice: another store may have
    /// committed while it read.
    func reading<Result>(
        _ body: (any BackendReader) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        let isFrozen = frozen != nil
        let result = try body(reader)
        guard !isFrozen, slot.isShared || frozen != nil else { return result }
        return try body(reader)
    }
}
