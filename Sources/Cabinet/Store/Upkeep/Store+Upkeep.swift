import CLibrary
import CabinetBackend

// What saves leave for later is done by a thread of its own, and by its parts: see ``StorePart``.
extension Store {
    /// Whether the store may commit.
    var maySave: Bool { backend.access == .readWrite && !isSnapshot }

    /// Has the parts of the store build what is not complete, unless another opening found that it cannot be.
    func beginWork() throws {
        guard maySave, isIsolated else { return }
        if try hasWork(besides: hub.upkeep.refused) { hub.upkeep.begin(for: self) }
    }

    /// Something was registered. Unlike at an opening, work that is under way may have passed its class.
    func beginMoreWork() {
        if isIsolated { hub.upkeep.begin(for: self, isAwaited: true) }
    }

    /// A save has left something to be brought into form.
    func beginUpkeep() { if maySave, isIsolated { hub.upkeep.begin(for: self, repeats: true) } }

    /// Whether a part has something to build or to bring into form.
    func hasWork(besides refused: Set<String> = []) throws -> Bool {
        try parts.contains { try $0.hasWork(in: self, besides: refused) }
    }

    /// What is kept and cannot be used yet, as "class.name".
    func incompleteParts() throws -> [String] { try parts.flatMap { try $0.incomplete(in: self) } }

    /// Returns once no commit is under way that may not know what was registered so far, or what the catalog
    /// says of indexes: what is read then has all records that such a commit has added.
    func waitForUnawares(_ checkCancelled: () throws -> Void) throws {
        let generation = hub.generation
        while hub.isCommitting(before: generation), !GuardedStep.waitForUnawares.isLeftOut {
            try checkCancelled()
            if !SchedulePoint.sleep.pass() { usleep(500) }
        }
    }
}
