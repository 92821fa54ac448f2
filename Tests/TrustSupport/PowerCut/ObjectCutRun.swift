import Cabinet
import CabinetBackend
import CabinetTokyo

/// Lets the life of a store of objects be cut short by the loss of power at every moment, and opens what is
/// left: the objects are those of some number of saves, all that must be there among them, and every index
/// and every search agrees with them.
package struct ObjectCutRun {
    package let seed: UInt64
    package let durability: Durability
    /// The most bytes of a text, but for a few that are longer.
    package var filling = 60
    package var saves = 12
    package var exhaustiveLimit = 8
    package var sample = 3
    package var cutsEvery = 1
    /// Of so many states one goes on working.
    package var deepEvery = 16
    /// No more than so many failures are looked for.
    package var failureLimit = 5

    package init(seed: UInt64, durability: Durability) {
        self.seed = seed
        self.durability = durability
    }

    package func run() throws -> PowerCutRun.Tally {
        let directory = ScratchDirectory()
        let films = FilmedFiles(root: directory.path)
        let ledgers = try play(directory.path, films)
        var states = CutStates(films.recording(from: DiskImage()), seed: seed) {
            StoreNames.isView($0)
        }
        states.exhaustiveLimit = exhaustiveLimit
        states.sample = sample
        states.cutsEvery = cutsEvery
        let scratch = ScratchDirectory()
        var tally = PowerCutRun.Tally()
        var random = SeededRandom(seed: seed, part: 17)
        try states.visit { state in
            guard tally.failures.count < failureLimit else { return }
            if state.number == 0 {
                tally.cuts += 1
                tally.exhaustiveCuts += state.isExhaustive ? 1 : 0
            }
            tally.states += 1
            scratch.clear()
            try state.image.write(below: scratch.path)
            let goesOn = random.once(in: deepEvery)
            if let wrong = judge(scratch.path, state.notes, ledgers, goesOn: goesOn) {
                tally.failures.append(
                    "\(wrong) (objects, seed \(seed), after operation \(state.operations), "
                        + "state \(state.number): \(state.image.summary))")
            }
        }
        return tally
    }

    /// A store, through which nothing but files outlives a scene.
    private struct Opened {
        let engine: StoreUnderTest
        let container: StoreContainer
        let store: Store

        init(_ root: String, _ durability: Durability, _ files: any FileLayer) throws {
            engine = try StoreUnderTest.open(root, durability: durability, files: files)
            container = StoreContainer(backend: engine.backend, classes: Bookshop.classes)
            store = try container.makeStore()
        }

        func close() throws {
            try store.close()
            try container.close()
        }
    }

    /// Saves, makes segments of texts, adds and drops an index, syncs, compacts, closes and opens.
    /// - Returns: what the store holds after each number of saves.
    private func play(_ root: String, _ films: FilmedFiles) throws -> [ObjectLedger] {
        var random = SeededRandom(seed: seed, part: 5)
        func note(_ note: LedgerNote) { films.note(note.text) }
        var opened = try Opened(root, durability, films)
        var keeper = try ObjectKeeper(opened.store, seed: seed, filling: filling)
        var ledgers = [keeper.ledger]
        for save in 1...saves {
            try Bookshop.changeIndexes(in: opened.store, after: save)
            _ = try keeper.prepare(keeper.ledger.nextSave())
            ledgers.append(keeper.ledger)
            note(.began(save: save, attempt: save))
            try keeper.save()
            note(.acknowledged(save: save))
            switch random.below(6) {
            case 0:
                try opened.engine.backend.sync()
                note(.synced(saves: save))
            case 1: try opened.engine.compact()
            case 2, 3: try Bookshop.keepTexts(in: opened.store)
            case 4:
                try opened.close()
                note(.synced(saves: save))
                opened = try Opened(root, durability, films)
                keeper = try ObjectKeeper(opened.store, seed: seed, filling: filling)
                note(.opened(saves: save, attempt: save))
            default: try opened.store.indexes.build()
            }
            try films.look()
        }
        try opened.close()
        return ledgers
    }

    /// What is wrong with what a restarted machine finds at `root`; `nil`: nothing.
    private func judge(
        _ root: String, _ notes: [String], _ ledgers: [ObjectLedger], goesOn: Bool
    ) -> String? {
        let expected = ExpectedSaves(notes, durability: durability)
        do {
            var opened = try Opened(root, durability, RebootedFiles(boot: 1))
            var keeper = try ObjectKeeper(opened.store, seed: seed, filling: filling)
            let saves = keeper.ledger.saves
            guard saves >= expected.least, saves <= expected.most else {
                return "\(saves) saves are there, not \(expected.least) to \(expected.most)"
            }
            if let difference = keeper.ledger.difference(from: ledgers[saves]) {
                return "of \(saves) saves: \(difference)"
            }
            if goesOn {
                _ = try keeper.prepare(keeper.ledger.nextSave())
                try keeper.save()
                try Bookshop.keepTexts(in: opened.store)
                try opened.store.indexes.build()
                let ledger = keeper.ledger
                try opened.close()
                opened = try Opened(root, durability, RebootedFiles(boot: 2))
                keeper = try ObjectKeeper(opened.store, seed: seed, filling: filling)
                if let difference = keeper.ledger.difference(from: ledger) {
                    return "after going on: \(difference)"
                }
            }
            try opened.close()
            return nil
        } catch {
            return "\(error)"
        }
    }
}
