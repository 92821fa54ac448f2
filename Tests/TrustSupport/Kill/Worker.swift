import CLibrary
import Cabinet
import CabinetTokyo

/// The life of a child that is to be killed: it opens the store, says what is in it, saves, and
/// says so before and after each save.
package struct Worker {
    let order: WorkOrder

    package init(_ order: WorkOrder) { self.order = order }

    /// Does the work. Returns what the process is to exit with.
    package func run() -> Int32 {
        do {
            try work()
            return 0
        } catch {
            say(.failed("\(error)"))
            return 1
        }
    }

    private func work() throws {
        switch order.subject {
        case .tables: try workOnTables()
        case .objects: try workOnObjects()
        }
    }

    private func workOnObjects() throws {
        let began = Self.microseconds()
        let engine = try StoreUnderTest.open(
            order.directory, durability: order.durability,
            files: FatalFiles(dyingAt: order.killPoint))
        let container = StoreContainer(backend: engine.backend, classes: Bookshop.classes)
        let stores = [try container.makeStore(), try container.makeStore()]
        let time = Self.microseconds() - began
        var keeper = try ObjectKeeper(stores[0], seed: order.seed, filling: order.filling)
        say(
            .opened(
                digest: keeper.ledger.digest, saves: keeper.ledger.saves, microseconds: time))
        try Bookshop.changeIndexes(in: stores[0], after: keeper.ledger.saves)
        for _ in 0..<order.saves {
            let number = keeper.ledger.saves + 1
            if order.compactEvery > 0, number % order.compactEvery == 0 { try engine.compact() }
            if number % Self.savesInTurn == 0 {
                try Bookshop.keepTexts(in: stores[(number / Self.savesInTurn + 1) % 2])
                keeper = try handOver(from: keeper, to: stores[number / Self.savesInTurn % 2])
            }
            let rows = try keeper.prepare(keeper.ledger.nextSave())
            say(.began(save: number, rows: rows))
            try keeper.save()
            say(.acknowledged(save: number))
        }
        for store in stores { try store.close() }
        try container.close()
        say(.closed)
    }

    /// How many saves one of two stores makes before the other one goes on.
    private static let savesInTurn = 5

    /// Lets another store catch up, which must show what the one before has saved.
    private func handOver(from keeper: ObjectKeeper, to store: Store) throws -> ObjectKeeper {
        try store.refresh()
        let next = try ObjectKeeper(store, seed: order.seed, filling: order.filling)
        if let difference = next.ledger.difference(from: keeper.ledger) {
            throw LedgerFailure("After advancing, \(difference)")
        }
        return next
    }

    private func workOnTables() throws {
        let began = Self.microseconds()
        let store = try StoreUnderTest.open(
            order.directory, durability: order.durability,
            files: FatalFiles(dyingAt: order.killPoint), snapshots: FrozenWatch.limits)
        let time = Self.microseconds() - began
        var ledger = try store.backend.readLedger(seed: order.seed, filling: order.filling)
        if let disagreement = ledger.disagreement { throw LedgerFailure(disagreement) }
        if let other = try store.backend.disagreement(aboutNotesOf: ledger) {
            throw LedgerFailure(other)
        }
        say(.opened(digest: ledger.digest, saves: ledger.saves, microseconds: time))
        var watch = FrozenWatch(seed: order.seed &+ UInt64(ledger.saves))
        for _ in 0..<order.saves {
            let number = ledger.saves + 1
            if order.compactEvery > 0, number % order.compactEvery == 0 { try store.compact() }
            try watch.look(at: store.backend, ledger)
            let rows = try store.backend.reserveRows(ledger.rowsNeeded, in: Ledger.entries)
            let changes = ledger.nextSave(rows: rows)
            say(.began(save: number, rows: rows))
            _ = try store.backend.commit(changes)
            say(.acknowledged(save: number))
            ledger.apply(changes)
        }
        try store.backend.close()
        say(.closed)
    }

    private func say(_ report: WorkReport) {
        let line = Array(report.line.utf8)
        // Shorter than what a pipe takes whole, so no line is ever torn.
        _ = line.withUnsafeBytes { write(1, $0.baseAddress, min($0.count, 4000)) }
    }

    private static func microseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }
}
