import CabinetBackend

/// Which table of which store a run belongs to.
package struct RunIdentity: Hashable, Sendable {
    var store: UInt64
    var table: TableNumber
    /// The table's flags when the run was written, for salvage, where nothing else may tell them. They
    /// may have changed since, so they do not distinguish runs.
    var flags: TableFlags

    package init(store: UInt64, table: TableNumber, flags: TableFlags = []) {
        self.store = store
        self.table = table
        self.flags = flags
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.store == other.store && one.table == other.table
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(store)
        hasher.combine(table)
    }
}

/// The commits after `from`, up to and including `to`.
struct CommitSpan: Hashable, Sendable {
    var from: CommitNumber
    var to: CommitNumber

    /// How many commits these are; 0 if `to` is not after `from`.
    var length: UInt64 { to > from ? to.rawValue - from.rawValue : 0 }
}
