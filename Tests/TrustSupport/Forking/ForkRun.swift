import CForking
import CLibrary
import Cabinet
import CabinetTokyo

/// A program that forks while it has stores open, and goes on saving when the child has ended. In a
/// process of its own: a child of the test runner's would have the locks of threads that it lacks.
package struct ForkRun {
    private let directory: String
    private let seed: UInt64
    private let deed: ForkDeed
    private static let filling = 300

    package init(directory: String, seed: UInt64, deed: ForkDeed) {
        self.directory = directory
        self.seed = seed
        self.deed = deed
    }

    package var arguments: [String] { ["fork", directory, String(seed), deed.rawValue] }

    package init?(arguments: [String]) {
        guard arguments.count == 4, arguments[0] == "fork", let seed = UInt64(arguments[2]),
            let deed = ForkDeed(rawValue: arguments[3])
        else { return nil }
        self.init(directory: arguments[1], seed: seed, deed: deed)
    }

    /// The program's part. Returns how many saves were made.
    package func work() async throws -> Int {
        let stores = try ForkedStores(directory)
        var ledger = Ledger(seed: seed, filling: Self.filling)
        for _ in 0..<4 { try save(&ledger, in: stores) }
        try stores.insertShelf()
        if deed == .discard { try stores.stage() }
        try letChildTry(stores)
        try stores.checkLocks()
        try stores.commitStaged()
        for _ in 0..<4 { try save(&ledger, in: stores) }
        try stores.insertShelf()
        try compare(stores, with: ledger)
        try stores.close()
        try await compareAnew(ledger)
        return ledger.saves
    }

    private func save(_ ledger: inout Ledger, in stores: ForkedStores) throws {
        guard let backend = stores.tables?.backend else { return }
        let rows = try backend.reserveRows(ledger.rowsNeeded, in: Ledger.entries)
        let changes = ledger.nextSave(rows: rows)
        _ = try backend.commit(changes)
        ledger.apply(changes)
    }

    private func letChildTry(_ stores: ForkedStores) throws {
        let child = cabinet_fork()
        if child == 0 {
            do {
                try deed.tryOut(stores, below: directory)
                try deed.letGo(of: stores)
                cabinet_leave(0)
            } catch {
                let line = Array("in the child: \(error)\n".utf8)
                _ = line.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
                cabinet_leave(1)
            }
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard child > 0, status == 0 else {
            throw LedgerFailure("the child ended with status \(status)")
        }
    }

    private func compare(_ stores: ForkedStores, with ledger: Ledger) throws {
        guard let backend = stores.tables?.backend else { return }
        let found = try backend.readLedger(seed: seed, filling: Self.filling)
        if let difference = found.difference(from: ledger) { throw LedgerFailure(difference) }
        let shelves = try stores.objects?.objects(of: Shelf.self).count
        guard shelves == 2 else { throw LedgerFailure("\(shelves ?? 0) shelves instead of 2") }
    }

    /// Compares what the stores hold when they are opened again, and checks that they are sound.
    private func compareAnew(_ ledger: Ledger) async throws {
        let stores = try ForkedStores(directory)
        try compare(stores, with: ledger)
        let findings = try await stores.tables?.backend.check().findings ?? []
        guard findings.isEmpty else { throw LedgerFailure("\(findings)") }
        try stores.close()
    }
}
