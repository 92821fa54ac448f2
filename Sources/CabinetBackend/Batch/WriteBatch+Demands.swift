extension WriteBatch {
    /// What must be true of a row or a key, before the batch, for the batch to be committed.
    public enum Requirement: UInt8, Hashable, Sendable {
        /// No commit after ``WriteBatch/basis`` has put or deleted it. One that was changed and
        /// changed back has changed.
        case unchanged = 1
        /// It is not there. Needs no basis.
        case absent = 2
        /// It is there. Needs no basis.
        case present = 3
    }

    /// Requires something of a row. Never logged. Requirements refer to the state before the batch.
    ///
    /// All requirements are checked while the engine lets no other commit happen; if one fails, the
    /// commit throws ``BackendError/conflict(_:)`` with all that failed.
    /// - Precondition: at the commit, ``basis`` is set if anything must be `.unchanged`.
    public func require(_ requirement: Requirement, row: RowID, in table: TableNumber) {
        makeDemands().rows.append((table, row, requirement))
    }

    /// Requires something of a key of a named or ordered table; see ``require(_:row:in:)``.
    public func require(
        _ requirement: Requirement, key: UnsafeRawBufferPointer, in table: TableNumber
    ) {
        makeDemands().keys.append((table, [UInt8](key), requirement))
    }

    /// Adds `amount` to the number under `key` of a named or ordered table.
    ///
    /// The value is an `Int64`, 8 bytes, little-endian. A key that is not there counts as 0, and
    /// one whose number becomes 0 goes. Sums wrap around. The engine computes the new value while
    /// it lets no other commit happen, so additions of different batches never conflict, and none
    /// is lost. It logs the new value, which the feed gives as a put or a delete of the key.
    ///
    /// Additions start from the value before the batch and are made behind all of its operations:
    /// a put or delete of the same key in the same batch has no effect. The commit throws
    /// ``BackendError/badAddition(_:)`` if the value is not 8 bytes long.
    public func add(
        _ amount: Int64, forKey key: UnsafeRawBufferPointer, in table: TableNumber
    ) {
        makeDemands().additions[KeyOfTable(table: table, key: [UInt8](key)), default: 0] &+= amount
    }

    /// Deletes a key of a derived ordered table (``TableFlags/derived``), whatever has been made of it since
    /// ``basis``: for what a change makes invalid, such as a sum that is made anew when it is asked for.
    ///
    /// Such deletes never conflict, neither with one another nor with a put of the key. They are made behind
    /// all operations of the batch, and count as changes of the key, also where it is not there: what puts or
    /// requires it on an earlier basis conflicts. The commit throws ``BackendError/noTable(_:)`` if the table
    /// is none of these.
    public func deleteBlindly(_ key: UnsafeRawBufferPointer, in table: TableNumber) {
        makeDemands().blindDeletes.insert(KeyOfTable(table: table, key: [UInt8](key)))
    }

    /// Whether the engine must call ``resolve(on:handedOver:)``.
    public var hasDemands: Bool { demands != nil || basis != nil }

    /// Whether the engine must call ``resolve(on:handedOver:)`` while `last` is the last commit: a
    /// batch that is based on that one, and demands nothing else, cannot conflict.
    package func hasDemands(after last: CommitNumber) -> Bool {
        demands != nil || basisNumber < last
    }

    private func makeDemands() -> Demands {
        if let demands { return demands }
        let made = Demands()
        demands = made
        return made
    }

    /// Additions stay in the last chunk: its engine may hold the lock that a sink needs.
    var isResolving: Bool { demands?.isResolving ?? false }

    /// What the batch asks of the state before it.
    package final class Demands {
        package var rows: [(table: TableNumber, row: RowID, requirement: Requirement)] = []
        package var keys: [(table: TableNumber, key: [UInt8], requirement: Requirement)] = []
        package var additions: [KeyOfTable: Int64] = [:]
        package var blindDeletes: Set<KeyOfTable> = []
        var isResolving = false
        var changesNothing: Bool { additions.isEmpty && blindDeletes.isEmpty }

        package init() {}
    }

    /// A key in its table.
    package struct KeyOfTable: Hashable, Comparable {
        package var table: TableNumber
        package var key: [UInt8]

        package static func < (one: Self, other: Self) -> Bool {
            one.table == other.table
                ? one.key.lexicographicallyPrecedes(other.key) : one.table < other.table
        }
    }
}
