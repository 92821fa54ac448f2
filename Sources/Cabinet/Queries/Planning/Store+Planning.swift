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

    /// The classes that a query for `type` looks at, in the order of their numbers.
    func classesToScan(
        _ type: StoredObject.Type, includingSubclasses: Bool,
        where isWanted: (StoredObject.Type) -> Bool
    ) throws -> [StoredClass] {
        guard includingSubclasses else { return [try classToRead(type)] }
        try checkOpen()
        reconcileEdits()
        // The class itself need not be registered.
        let found = classesByNumber.compactMap { $0 }.filter { isWanted($0.type) }
        return found.isEmpty ? [try classToRead(type)] : found
    }

    /// How a query with that condition comes to the objects of `storedClass`: the quickest way to
    /// `purpose`, of which the declared fields `read` are read alone; `nil` for more than such.
    ///
    /// - Parameter known: what is known already of the rows that indexes name.
    func accessPath(
        _ condition: Condition, _ storedClass: StoredClass, for purpose: PathPurpose = .records,
        reading read: FieldsRead? = nil, known: KnownPlan? = nil
    ) throws -> AccessPath {
        try RowPlanner(self, storedClass, purpose).path(condition, reading: read, known: known)
    }

    /// The rows that indexes name for `condition`, of which records are read.
    func rowPlan(_ condition: Condition, _ storedClass: StoredClass) throws -> KnownPlan {
        KnownPlan(plan: try RowPlanner(self, storedClass, .records).plan(condition))
    }
}
