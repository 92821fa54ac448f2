import Cabinet
import CabinetMemory
import Testing
import TrustSupport

@testable import CabinetTestModel

/// The graph follows from the order of the edits alone: not from what else is done between them.
struct EditOrderTests {
    /// How a part of a script is done.
    enum Way: String, CaseIterable, Sendable {
        case plain, undo, eager, watched, saved, group, undoGroup, reopened, written
    }

    static let seeds = RunSetting.seeds(RunSetting.number("CABINET_SCRIPTS") ?? 40)

    private struct Stop: Error {}

    @Test(arguments: seeds, Way.allCases)
    func aScriptHasOneOutcome(_ seed: UInt64, _ way: Way) async throws {
        let script = HubScript(seed: seed, parts: 12, steps: 14)
        if way == .written { return try await write(script, seed) }
        let backend = MemoryBackend()
        var player = try open(backend, way)
        for (index, part) in script.parts.enumerated() {
            let name = "seed \(seed), part \(index), \(way)"
            try play(part, player, way, name)
            switch part.end {
            case .nothing:
                if way == .saved, !mustRollBack(script, after: index) { try player.store.save() }
            case .save: try player.store.save()
            case .rollback: player.store.rollback()
            }
            try player.agree(part.outcome, "\(name), \(part.steps), \(part.end)")
            if way == .reopened, part.end == .save {
                player = try open(backend, way, player.rows)
                try player.agree(part.outcome, "\(name), opened again")
            }
        }
        try player.store.save()
        let again = try open(backend, way, player.rows)
        let last = try #require(script.parts.last).outcome
        try again.agree(last, "seed \(seed), opened at the end")
        again.store.dissolveAllRelationships()
        player.store.dissolveAllRelationships()
    }

    /// Whether a rollback follows part `index` before the next save of the script.
    private func mustRollBack(_ script: HubScript, after index: Int) -> Bool {
        for part in script.parts[(index + 1)...] {
            if part.end == .save { return false }
            if part.end == .rollback { return true }
        }
        return false
    }

    private func open(
        _ backend: MemoryBackend, _ way: Way, _ rows: [Int: RowID] = [:]
    ) throws -> HubPlayer {
        let store = try Store(backend: backend, classes: hubs)
        store.undoHistory.isEnabled = way == .undo || way == .undoGroup
        if way == .watched { store.isObserved = true }
        return try HubPlayer(
            store, rows: rows, isWatched: way == .watched, isEager: way == .eager)
    }

    private func play(
        _ part: HubScript.Part, _ player: HubPlayer, _ way: Way, _ name: String
    ) throws {
        guard way == .group || way == .undoGroup else { return try player.play(part, name) }
        try player.store.undoHistory.group { try player.play(part, name) }
        guard way == .undoGroup, !part.steps.isEmpty, part.end != .save else { return }
        if try player.store.undoHistory.undo() { try player.store.undoHistory.redo() }
    }

    private func write(_ script: HubScript, _ seed: UInt64) async throws {
        let container = StoreContainer(inMemory: hubs)
        var rows: [Int: RowID] = [:]
        for (index, part) in script.parts.enumerated() {
            let before = rows
            let name = "seed \(seed), part \(index), written"
            // What is not saved cannot be rolled back later.
            if mustRollBack(script, after: index), part.end == .nothing { break }
            do {
                rows = try await container.write { store in
                    let player = try HubPlayer(store, rows: before)
                    try player.play(part, name)
                    if part.end == .rollback { throw Stop() }
                    try player.agree(part.outcome, "\(name), \(part.steps)")
                    return player.rows
                }
            } catch is Stop {}
            let known = rows
            try await container.read { store in
                let player = try HubPlayer(store, rows: known)
                try player.agree(part.outcome, "\(name), read again")
            }
        }
    }

    // MARK: Examples

    let backend = MemoryBackend()

    /// The list of the other owner held the object still when it was assigned to, so the assignment
    /// counted as no change.
    @Test func whatWasTakenOverComesBack() throws {
        let store = try Store(backend: backend, classes: hubs)
        let (a, b, c) = (Hub(), Hub(), Spoke())
        a.owned = [c]
        for object in [a, b] { store.insert(object) }
        try store.save()
        b.owned = [c]
        a.owned = [c]
        try store.save()
        #expect(isSame(a.owned, [c]) && b.owned.isEmpty && c.hub === a)
    }

    /// The two edits were one that changes nothing, and the object went with its former owner.
    @Test func whatCameAndWentBelongsToNoOwner() throws {
        let store = try Store(backend: backend, classes: hubs)
        let (a, b, c) = (Hub(), Hub(), Spoke())
        a.owned = [c]
        for object in [a, b] { store.insert(object) }
        try store.save()
        b.owned.append(c)
        b.owned.removeAll()
        try store.delete(a)
        #expect(!c.isDeleted && c.hub == nil)
        try store.save()
        #expect(try Store(backend: backend, classes: hubs).count(of: Spoke.self) == 1)
    }

    @Test func appendsStayLinearWhateverTheListIs() throws {
        let store = try Store(backend: backend, classes: hubs)
        let (one, two) = (Hub(), Hub())
        for hub in [one, two] { store.insert(hub) }
        try store.save()
        let spokes = (0..<20_000).map { _ in Spoke() }
        for spoke in spokes {
            one.owned.append(spoke)
            two.liked.append(spoke)
            one.kept.append(spoke)
            two.chosen.append(spoke)
            two.listed.append(spoke)
        }
        for spoke in spokes { one.seen.append(spoke) }
        one.seen.append(spokes[7])
        #expect(one.owned.count == 20_000 && two.chosen.count == 20_000 && one.seen.count == 20_000)
        for spoke in spokes { two.owned.append(spoke) }
        #expect(one.owned.isEmpty && two.owned.count == 20_000)
        try store.save()
        store.dissolveAllRelationships()
    }
}
