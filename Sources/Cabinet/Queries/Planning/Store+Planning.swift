import CabinetBackend

/// The rows that indexes name for a condition, found before; no rows if a scan is quicker.
struct KnownPlan {
    let plan: RowPlan?
}

extension Store {
    /// The indexes that queries may use of `storedClass`; `nil` if there are none.
    func queryIndexes(of storedClass: StoredClass) throws -> ClassIndexes? {
        guard let indexes = try indexKeeper?.indexes(of: storedClass), !indexes.all.isEmpty else {
            return nil
        }
        return indexes
    }

    /// How a query with that condition comes to the objects of `storedClass`: the quickest way to
    /// `purpose`, of which the declared fields `read` are read alone; `nil` for more than such.
    ///
    /// - Parameter known: what is known already of the rows that indexes name.
    func accessPath(
        _ condition: Condition, _ storedClass: StoredClass, for purpose: PathPurpose = .records,
        reading read: FieldsRead? = nil, known: KnownPlan? = nil
    ) throws -> AccessPath {
        guard let indexes = try queryIndexes(of: storedClass) else { return .scan }
        let planner = RowPlanner(self, indexes, purpose)
        return try planner.path(condition, reading: read, known: known)
    }

    /// The rows that indexes name for `condition`, of which records are read.
    func rowPlan(_ condition: Condition, _ storedClass: StoredClass) throws -> KnownPlan {
        guard let indexes = try queryIndexes(of: storedClass) else { return KnownPlan(plan: nil) }
        return KnownPlan(plan: try RowPlanner(self, indexes, .records).plan(condition))
    }
}
