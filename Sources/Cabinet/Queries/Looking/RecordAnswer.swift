import CabinetBackend

/// What a query of records has found, and how. `Sendable`: a value.
package struct RecordAnswer: Sendable {
    /// An index that the query could not use, and why.
    package struct UnusedIndex: Sendable, Hashable {
        /// Its name.
        package let name: String
        /// Why it cannot be used without its class.
        package let reason: String
    }

    /// The rows of the records, in the query's order.
    package internal(set) var rows: [RowID]
    /// The steps with the rows that they left.
    package internal(set) var plan: QueryPlan
    /// The indexes of the class that only its program can use.
    package internal(set) var unusedIndexes: [UnusedIndex]
}
