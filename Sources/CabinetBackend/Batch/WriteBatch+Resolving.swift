/// The state before a batch, as an engine shows it to ``WriteBatch/resolve(on:handedOver:)``. All
/// of it is asked by the thread that commits, while no other commit can happen.
public protocol StateBeforeBatch {
    /// Whether the row is there.
    func contains(row: RowID, in table: TableNumber) throws(BackendError) -> Bool

    /// Copies the value under `key` into `buffer`, which it replaces. `false`: there is no such
    /// key.
    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool

    /// The table's definition; `nil` if there is no such table.
    func definition(of table: TableNumber) -> TableDefinition?

    /// Asked before anything is asked about changes since `basis`.
    /// - Throws: ``BackendError/changesGone(oldest:)`` if the engine does not know them any more,
    ///   ``BackendError/unsupported(_:)`` if it never does.
    func checkBasis(_ basis: CommitNumber) throws(BackendError)

    /// Whether there was a commit after `basis`.
    func hasCommits(since basis: CommitNumber) throws(BackendError) -> Bool

    /// Whether a commit after `basis` has put or deleted the row.
    func hasChanged(
        row: RowID, in table: TableNumber, since basis: CommitNumber
    ) throws(BackendError) -> Bool

    /// Whether a commit after `basis` has put or deleted the key.
    func hasChanged(
        key: UnsafeRawBufferPointer, in table: TableNumber, since basis: CommitNumber
    ) throws(BackendError) -> Bool
}

extension StateBeforeBatch {
    public func checkBasis(_ basis: CommitNumber) throws(BackendError) {
        throw .unsupported("a batch with a basis")
    }

    /// Default: it has, as far as is known.
    public func hasChanged(row: RowID, in table: TableNumber, since basis: CommitNumber) -> Bool {
        true
    }

    /// Default: it has, as far as is known.
    public func hasChanged(
        key: UnsafeRawBufferPointer, in table: TableNumber, since basis: CommitNumber
    ) -> Bool { true }
}

extension WriteBatch {
    /// For engines: checks what the batch requires and turns its additions into puts and deletes of
    /// keys at its end, behind which its blind deletes come. Afterwards the batch has no demands.
    ///
    /// Call it while no other commit can happen and before the operations are checked.
    /// - Parameters:
    ///   - state: the state before the batch.
    ///   - handedOver: the operations of all chunks that were handed over, in order. An engine that
    ///     does not support a basis need not give them.
    /// - Throws: ``BackendError/conflict(_:)``, ``BackendError/badAddition(_:)``, or what `state`
    ///   throws. The batch is spent then.
    public func resolve(
        on state: some StateBeforeBatch, handedOver: [UnsafeRawBufferPointer] = []
    ) throws(BackendError) {
        guard hasDemands else { return }
        defer { basis = nil }
        var conflicts: Set<Conflict> = []
        if let basis {
            try state.checkBasis(basis)
            if requiresLastBasis, try state.hasCommits(since: basis) { throw .conflict([]) }
            let last = UnsafeRawBufferPointer(rebasing: chunk()[Self.headroom...])
            for operations in handedOver + [last] {
                try Self.findConflicts(of: operations, since: basis, in: state, &conflicts)
            }
        }
        if let demands { try checkRequirements(demands, in: state, &conflicts) }
        guard conflicts.isEmpty else { throw .conflict(conflicts.inOrder()) }
        guard let demands else { return }
        demands.isResolving = true
        defer { self.demands = nil }
        // In an order, so that the same batch makes the same bytes.
        for (place, amount) in demands.additions.sorted(by: { $0.key < $1.key }) {
            try add(amount, to: place, in: state)
        }
        for place in demands.blindDeletes.sorted() {
            let defined = definitions.last { $0.number == place.table }
            guard defined?.isBlind ?? state.definition(of: place.table)?.isBlind ?? false else {
                throw .noTable(place.table)
            }
            try place.key.withUnsafeBytesThrowing { key throws(BackendError) in
                try deleteKey(key, in: place.table)
            }
        }
    }

    private static func findConflicts(
        of operations: UnsafeRawBufferPointer, since basis: CommitNumber,
        in state: some StateBeforeBatch, _ conflicts: inout Set<Conflict>
    ) throws(BackendError) {
        var reader = OperationReader(operations)
        while let operation = reader.next() {
            switch operation {
            case .putRow(let table, let row, _), .deleteRow(let table, let row):
                guard !GuardedStep.comparedRows.isLeftOut,
                    try state.hasChanged(row: row, in: table, since: basis)
                else { continue }
                conflicts.insert(.row(row, table: table))
            case .putKey(let table, let key, _), .deleteKey(let table, let key):
                guard !GuardedStep.comparedKeys.isLeftOut,
                    try state.hasChanged(key: key, in: table, since: basis)
                else { continue }
                conflicts.insert(.key([UInt8](key), table: table))
            case .define, .drop, .note, .unknown: continue
            }
        }
    }

    private func checkRequirements(
        _ demands: Demands, in state: some StateBeforeBatch, _ conflicts: inout Set<Conflict>
    ) throws(BackendError) {
        for (table, row, requirement) in demands.rows {
            let isKept =
                switch requirement {
                case .absent: try !state.contains(row: row, in: table)
                case .present: try state.contains(row: row, in: table)
                case .unchanged:
                    try !state.hasChanged(row: row, in: table, since: neededBasis)
                }
            if !isKept { conflicts.insert(.row(row, table: table)) }
        }
        let found = DataBuffer()
        for (table, key, requirement) in demands.keys {
            let isKept = try key.withUnsafeBytesThrowing { key throws(BackendError) in
                switch requirement {
                case .absent: try !state.value(forKey: key, in: table, into: found)
                case .present: try state.value(forKey: key, in: table, into: found)
                case .unchanged:
                    try !state.hasChanged(key: key, in: table, since: neededBasis)
                }
            }
            if !isKept { conflicts.insert(.key(key, table: table)) }
        }
    }

    private var neededBasis: CommitNumber {
        guard let basis else {
            preconditionFailure("A batch that requires something to be unchanged needs a basis.")
        }
        return basis
    }

    private func add(
        _ amount: Int64, to place: KeyOfTable, in state: some StateBeforeBatch
    ) throws(BackendError) {
        guard amount != 0 else { return }
        try place.key.withUnsafeBytesThrowing { key throws(BackendError) in
            let buffer = DataBuffer()
            var number: Int64 = 0
            if try state.value(forKey: key, in: place.table, into: buffer) {
                guard buffer.count == 8, let found = try? buffer.readInt64() else {
                    throw .badAddition(place.table)
                }
                number = found
            }
            let sum = number &+ amount
            guard sum != 0 else { return try deleteKey(key, in: place.table) }
            buffer.removeAll()
            buffer.writeInt64(sum)
            try put(UnsafeRawBufferPointer(buffer.memory), for: key, in: place.table)
        }
    }
}

extension TableDefinition {
    /// Whether keys may be deleted blindly.
    fileprivate var isBlind: Bool { kind == .ordered && flags.contains(.derived) }
}

extension [UInt8] {
    /// `withUnsafeBytes` with a typed throw.
    @inline(__always)
    package func withUnsafeBytesThrowing<Result>(
        _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        try withUnsafeBufferPointer { bytes throws(BackendError) in
            try body(UnsafeRawBufferPointer(bytes))
        }
    }
}
