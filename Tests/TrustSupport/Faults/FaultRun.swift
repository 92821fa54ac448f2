import CabinetBackend
import CabinetTokyo

/// A ledger whose files fail once, at one operation, in one way.
package struct FaultRun {
    /// What one operation did to a run.
    package enum Outcome: Hashable, Sendable {
        /// The run ended before it came to that operation.
        case neverReached
        /// Nothing failed that anybody outside could see.
        case unnoticed
        /// An opening, a save, or closing failed, and everything was well afterwards.
        case survived
        case wrong(String)
    }

    package var seed: UInt64
    package var durability: Durability
    package var fault: FaultyFiles.Fault
    /// How many operations fail, from the first one on.
    package var length = 1

    package init(seed: UInt64, durability: Durability, fault: FaultyFiles.Fault) {
        self.seed = seed
        self.durability = durability
        self.fault = fault
    }

    /// Opens a store, saves a few times, closes it, opens it again and saves once more, while the
    /// operation with that number fails; then with nothing failing sees what there is.
    package func run(failing operation: Int, in root: String) -> Outcome {
        let last = operation + length
        let fault = fault
        let files = FaultyFiles(wrapping: RebootedFiles()) { index, _, _ in
            (operation..<last).contains(index) ? fault : nil
        }
        var ledger = Ledger(seed: seed, filling: 40)
        var watch = FrozenWatch(seed: seed &+ UInt64(operation))
        var failures = 0
        do {
            for saves in [3, 2] {
                var store: StoreUnderTest?
                do {
                    store = try StoreUnderTest.open(
                        root, durability: durability, files: files, snapshots: FrozenWatch.limits)
                } catch {
                    guard Self.isExpected(error) else { return .wrong("opening: \(error)") }
                    failures += 1
                }
                guard let store else { continue }
                for _ in 0..<saves {
                    failures += try look(at: store, ledger, &watch)
                    let (failed, isUsable) = try save(in: store, &ledger)
                    failures += failed
                    if isUsable { failures += try look(at: store, ledger, &watch) }
                    if !isUsable { break }
                }
                watch.removeAll()
                do { try store.backend.close() } catch {
                    guard Self.isExpected(error) else { return .wrong("closing: \(error)") }
                    failures += 1
                }
            }
            let reached = files.count > operation
            files.replacePlan(nil)
            if let wrong = try verify(root, ledger) { return .wrong(wrong) }
            return failures > 0 ? .survived : reached ? .unnoticed : .neverReached
        } catch {
            return .wrong("\(error)")
        }
    }

    /// Sees that frozen readers show what they must. Returns how many could not be read.
    private func look(
        at store: StoreUnderTest, _ ledger: Ledger, _ watch: inout FrozenWatch
    ) throws -> Int {
        do {
            try watch.look(at: store.backend, ledger)
            return 0
        } catch let error as BackendError {
            // What could not be read when it was replaced is lost to its readers.
            if case .snapshotTooOld = error { return 1 }
            guard Self.isExpected(error) else { throw error }
            return 1
        }
    }

    /// Saves once; if that fails, sees that the store is as before, and saves the same again.
    /// Returns how many times it failed, and whether the store can be used before it is reopened:
    /// several faults in a row may leave a log, or a view, that only reopening brings back.
    private func save(
        in store: StoreUnderTest, _ ledger: inout Ledger
    ) throws -> (failures: Int, isUsable: Bool) {
        let rows: ClosedRange<RowID>
        rows = try store.backend.reserveRows(ledger.rowsNeeded, in: Ledger.entries)
        let changes = ledger.nextSave(rows: rows)
        for attempt in 0..<4 {
            do {
                _ = try store.backend.commit(changes)
                ledger.apply(changes)
                return (attempt, true)
            } catch {
                guard Self.isExpected(error) else { throw error }
                if case .logUnusable = error { return (attempt + 1, false) }
                do {
                    let found = try store.backend.readLedger(seed: seed, filling: 40)
                    if let difference = found.difference(from: ledger) {
                        throw LedgerFailure("after the failed save: \(difference)")
                    }
                } catch BackendError.viewUnavailable where length > 1 {
                    return (attempt + 1, false)
                }
            }
        }
        throw LedgerFailure("the same changes do not save when the fault has cleared")
    }

    /// After all of it: the same in another process and on a restarted machine.
    private func verify(_ root: String, _ ledger: Ledger) throws -> String? {
        for boot in [1, 2] {
            let store = try StoreUnderTest.open(
                root, durability: durability, files: RebootedFiles(boot: boot))
            let found = try store.backend.readLedger(seed: seed, filling: 40)
            if let difference = found.difference(from: ledger) { return difference }
        }
        return nil
    }

    /// An error that says what the system said, or what follows from it.
    package static func isExpected(_ error: BackendError) -> Bool {
        switch error {
        case .diskFull, .system, .logUnusable, .viewUnavailable, .accessDenied: true
        default: false
        }
    }
}
