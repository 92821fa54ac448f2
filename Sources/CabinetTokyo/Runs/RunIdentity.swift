import CabinetBackend

/// Which table of which store a run belongs to.
package struct RunIdentity: Hashable, Sendable {
    var store: UInt64
    var table: TableNumber

    package init(store: UInt64, table: TableNumber) {
        self.store = store
        self.table = table
    }
}

/// The commits after `from`, up to and including `to`.
struct CommitSpan: Hashable, Sendable {
    var from: CommitNumber
    var to: CommitNumber

    /// How many commits these are; 0 if `to` is not after `from`.
    var length: UInt64 { to > from ? to.rawValue - from.rawValue : 0 }
}
