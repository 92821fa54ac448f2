import CabinetBackend
import CabinetTokyo

/// Fills a small disk with saves until one does not fit, makes room, and saves the same again.
/// In a process of its own: a store to a mapped page that finds no room would kill it.
package struct FillRun {
    private let directory: String
    private let seed: UInt64
    private let filling: Int
    /// Bytes of a file that is removed when the disk is full.
    private let ballast: Int

    package init(directory: String, seed: UInt64, filling: Int, ballast: Int) {
        self.directory = directory
        self.seed = seed
        self.filling = filling
        self.ballast = ballast
    }

    package var arguments: [String] {
        ["fill", directory, String(seed), String(filling), String(ballast)]
    }

    package init?(arguments: [String]) {
        guard arguments.count == 5, arguments[0] == "fill", let seed = UInt64(arguments[2]),
            let filling = Int(arguments[3]), let ballast = Int(arguments[4])
        else { return nil }
        self.init(directory: arguments[1], seed: seed, filling: filling, ballast: ballast)
    }

    /// The child's part. Returns how many saves failed for lack of room.
    package func work() throws -> Int {
        let system = SystemFiles()
        let path = directory + "/ballast"
        let file = try system.open(path, for: .creating)
        try system.reserve(file, upTo: UInt64(ballast))
        let root = directory + "/store"
        try system.makeDirectory(root)
        let store = try StoreUnderTest.open(root, durability: .full, files: system)
        var ledger = Ledger(seed: seed, filling: filling)
        var failures = 0
        while failures < 3 {
            let rows = try store.backend.reserveRows(ledger.rowsNeeded, in: Ledger.entries)
            let changes = ledger.nextSave(rows: rows)
            do {
                _ = try store.backend.commit(changes)
            } catch {
                guard case .diskFull(_, let needed) = error else { throw error }
                failures += 1
                // The ballast is enough for it.
                if failures == 2, needed > UInt64(ballast) {
                    throw LedgerFailure("a save wanted \(needed) more bytes than there were")
                }
                let found = try store.backend.readLedger(seed: seed, filling: filling)
                if let difference = found.difference(from: ledger) {
                    throw LedgerFailure("after the failed save: \(difference)")
                }
                guard failures == 2 else { continue }
                try system.truncate(file, to: 0)
                _ = try store.backend.commit(changes)
            }
            ledger.apply(changes)
        }
        try system.remove(path)
        try? store.backend.close()
        let again = try StoreUnderTest.open(root, durability: .full, files: system)
        let found = try again.backend.readLedger(seed: seed, filling: filling)
        if let difference = found.difference(from: ledger) { throw LedgerFailure(difference) }
        return failures
    }
}
