import CabinetBackend

/// Reads as of a store's basis on another thread, for objects that are made in the store's own isolation
/// domain.
///
/// `Sendable`: it holds a frozen reader, and what other stores over the backend are made of.
struct BackgroundReads: Sendable {
    /// Where an object is: its class, as numbered by the store, and its row.
    struct Place: Sendable {
        let classNumber: UInt8
        let row: RowID
    }

    let basis: CommitNumber
    private let reader: any BackendReader
    private let container: StoreContainer

    /// `nil` if the engine has no frozen readers.
    init?(of store: Store) throws {
        guard store.isIsolated else { return nil }
        container = store.container
        reader = try store.readerForWalk()
        basis = store.basis
    }

    /// Where the objects are that `query` finds of what is saved, in its order.
    @concurrent
    func places<Object: StoredObject>(of query: ObjectQuery<Object>) async throws -> [Place] {
        let store = try container.makeStore(over: reader)
        defer { try? store.close() }
        var run = try QueryRun(store, query)
        return try run.matches().places.map {
            Place(classNumber: run.classes[$0.storedClass].number, row: $0.row)
        }
    }

    /// The records of the first of `rows`, and how many of these were looked up.
    @concurrent
    func records(
        of rows: ArraySlice<RowID>, in table: TableNumber
    ) async throws -> sending (run: RecordRun, count: Int) {
        let run = RecordRun()
        let count = try reader.values(of: rows, in: table, into: run)
        return (run, count)
    }
}
