#if PostgreSQL
    import CabinetBackend

    /// How many rows or keys some tables have, as of the last commit of one's own: a save of a class without
    /// derived tables asks whether the class has records, and mostly the last save has changed it.
    /// `Sendable`: a value.
    struct KnownCounts: Sendable {
        private var commit: Int64 = -1
        private var counts: [TableNumber: Int] = [:]

        /// The count as of a commit; `nil`: it is not known.
        func count(of table: TableNumber, asOf commit: Int64) -> Int? {
            commit == self.commit ? counts[table] : nil
        }

        /// Takes note of a commit of one's own, which says how many there are in the tables that it has changed.
        mutating func note(_ number: Int64, _ changed: [TableNumber: Int]) {
            // Others may have changed any table in between.
            if number != commit + 1 { counts = [:] }
            commit = number
            counts.merge(changed) { $1 }
        }

        mutating func forget() { self = KnownCounts() }
    }
#endif
