import CabinetBackend
import Synchronization

/// An engine that keeps its tables in dictionaries: the least that the contract asks of one.
///
/// `Sendable`, because a lock guards its state.
public final class DictionaryBackend: Backend {
    public let access: Access
    public let location: String
    public let identity = UInt64.random(in: 1...UInt64.max)

    let subscribers = CommitSubscribers()
    private let state = Mutex(State())

    /// An empty store.
    public init(location: String = "dictionaries", access: Access = .readWrite) {
        self.location = location
        self.access = access
    }

    /// Calls `body` with the state, one caller at a time.
    func withState<Result: Sendable>(
        _ body: (inout sending State) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        try state.withLock { (state) throws(BackendError) -> Result in
            if state.isClosed { throw .closed }
            return try body(&state)
        }
    }

    func checkWritable() throws(BackendError) {
        if access == .readOnly { throw .readOnly(path: location) }
    }

    public func lastCommit() throws(BackendError) -> CommitNumber {
        try withState { $0.lastCommit }
    }

    public func tables() throws(BackendError) -> [TableDefinition] {
        try withState { $0.definitions }
    }

    public func reserveTable() throws(BackendError) -> TableNumber {
        try withState { state throws(BackendError) in
            try checkWritable()
            return try state.takeTable()
        }
    }

    public func claim(_ wanted: TableClaim) throws(BackendError) -> TableDefinition {
        try withState { state throws(BackendError) in
            var claims = state.claims
            defer { state.claims = claims }
            return try claims.grant(
                wanted, tables: state.definitions, isSpent: state.isSpent
            ) {
                () throws(BackendError) in
                try checkWritable()
                return try state.takeTable()
            }
        }
    }

    public func reserveRows(
        _ count: UInt32, in table: TableNumber
    ) throws(BackendError) -> ClosedRange<RowID> {
        try withState { state throws(BackendError) in
            try checkWritable()
            let first = state.nextRows[table] ?? RowID.first
            let wanted = Int(max(count, 1))
            guard wanted <= first.distance(to: .max) else { throw .rowsExhausted(table) }
            state.nextRows[table] = first.advanced(by: wanted)
            return first...first.advanced(by: wanted - 1)
        }
    }

    public func onCommit(
        _ body: @escaping @Sendable (CommitNumber) -> Void
    ) -> Subscription { subscribers.add(body) }

    public func sync() throws(BackendError) { try withState { _ in } }

    public func close() throws(BackendError) {
        state.withLock { state in
            state = State()
            state.isClosed = true
        }
    }
}
