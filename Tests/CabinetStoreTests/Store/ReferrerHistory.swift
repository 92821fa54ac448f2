import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Edits objects that refer to one another at random, by every means that changes a reference or
/// leaves it, and compares the table of referrers with the records after each save.
final class ReferrerHistory {
    struct Setting: Hashable, CustomTestStringConvertible {
        var isInFiles = false
        var isUndoing = true
        /// Lists are changed in their arrays; otherwise they go away at the first change.
        var isEager = true
        /// A second store over the backend saves now and then.
        var isShared = false
        /// Saves of two changed owners write unmerged blocks, which are entered now and then.
        var isUnmerged = false

        var testDescription: String {
            "\(isInFiles ? "files" : "memory")\(isUndoing ? " undo" : "")"
                + "\(isEager ? "" : " away")\(isShared ? " shared" : "")\(isUnmerged ? " fresh" : "")"
        }
    }
    struct GivenUp: Error {}

    private let directory: TemporaryStore?
    let faulty = FaultyBackend()
    let store: Store
    let setting: Setting
    let seed: UInt64
    var random: SeededRandom
    var held: [StoredObject] = []
    private(set) var saves = 0
    /// How many saves have written unmerged blocks.
    var unmergedSaves: Int { ReferrerTruth.unmergedSaves(of: store) }

    init(seed: UInt64, _ setting: Setting) throws {
        (self.seed, self.setting) = (seed, setting)
        random = SeededRandom(seed: seed)
        directory = setting.isInFiles ? try TemporaryStore(beads) : nil
        let backend: any Backend = setting.isUnmerged ? MemoryBackend() : faulty
        store = try directory?.store ?? Store(backend: backend, classes: beads)
        store.undoHistory.isEnabled = setting.isUndoing
        if setting.isUnmerged { store.referrerTable?.unmergedLimit = 2 }
        if setting.isEager { return }
        store.lists.leastCount = 2
        store.lists.costOfLeaving = 0
    }

    /// Ends at the first save after which the table is wrong.
    func play(turns: Int) throws -> Bool {
        var whats: [String] = []
        for turn in 0..<turns {
            let what = try takeTurn()
            whats.append(what)
            guard what.hasPrefix("save") else { continue }
            let truth = try ReferrerTruth(store.backend, beads)
            guard truth.isRight, try agrees(with: truth) else {
                Issue.record(
                    """
                    seed \(seed), turn \(turn): \(truth.difference)
                    after \(whats.suffix(12).joined(separator: ", "))
                    """)
                return false
            }
        }
        return true
    }

    /// Whether `referrers(of:)` gives the owners that the records name.
    private func agrees(with truth: ReferrerTruth) throws -> Bool {
        try allBeads().allSatisfy { bead in
            let found = try store.referrers(of: bead).compactMap { owner in
                owner.storedClass.map {
                    ReferrerTruth.ClassRow(classNumber: $0.number, row: owner.rowID)
                }
            }
            return Set(found) == truth.owners(of: bead)
        }
    }

    func allBeads() throws -> [Bead] {
        try store.objects(of: Bead.self) + store.objects(of: SpecialBead.self)
    }

    private func takeTurn() throws -> String {
        if random.next(upTo: 12) == 0 { held.removeAll() }
        switch random.next(upTo: 32) {
        case 0...15: return try edit()
        case 16, 17: return try playGroup()
        case 18: return try playGroupThatThrows()
        case 19, 20, 21: return try take("undo", store.undoHistory.undo)
        case 22: return try take("redo", store.undoHistory.redo)
        case 23:
            guard random.next(upTo: 4) == 0 else { return "nothing" }
            store.rollback()
            return "rollback"
        case 24:
            store.dissolveAllRelationships()
            return "dissolve"
        case 25:
            guard let link = try any(Bead.self) else { return "nothing" }
            _ = try store.previewDelete(link)
            return "preview"
        case 26:
            if setting.isShared { return try saveElsewhere() }
            guard setting.isUnmerged else { return "nothing" }
            let other = try Store(backend: store.backend, classes: beads)
            try other.keepReferrersInForm()
            try other.close()
            return "nothing but keys"
        default: return try save()
        }
    }

    /// Takes a step back or again, unless another store has changed what it is about.
    private func take(_ what: String, _ step: () throws -> Bool) throws -> String {
        do { return "\(what) \(try step())" } catch StoreError.changedSince where setting.isShared {
            return "\(what) that is refused"
        }
    }

    private func save() throws -> String {
        if store.backend === faulty, store.hasChanges, random.next(upTo: 3) == 0 {
            faulty.order { $0.commitFails = true }
            #expect(throws: FaultyBackend.failure) { try store.save() }
            faulty.order { $0.commitFails = false }
            for _ in 0..<random.next(upTo: 3) { _ = try edit() }
        }
        try store.save()
        saves += 1
        return "save"
    }

    /// Another store over the backend changes references of objects that this one may hold.
    private func saveElsewhere() throws -> String {
        try store.save()
        let other = try Store(backend: store.backend, classes: beads)
        if setting.isUnmerged {
            other.referrerTable?.unmergedLimit = 2
            if random.next(upTo: 3) == 0 { try other.keepReferrersInForm() }
        }
        let found = try other.objects(of: Bead.self)
        guard let one = found.randomElement(using: &random) else { return "save" }
        one.next = found.randomElement(using: &random)
        one.others = found.filter { _ in random.next(upTo: 3) == 0 }
        try other.save()
        try store.refresh()
        return "save elsewhere of \(one.rowID)"
    }

    private func playGroup() throws -> String {
        var whats: [String] = []
        try store.undoHistory.group {
            for _ in 0..<random.next(upTo: 6) { whats.append(try edit()) }
            if random.next(upTo: 3) == 0 { whats.append(try playGroupThatThrows()) }
        }
        return "group \(whats)"
    }

    private func playGroupThatThrows() throws -> String {
        var whats: [String] = []
        do {
            try store.undoHistory.group {
                for _ in 0..<random.next(upTo: 6) { whats.append(try edit()) }
                throw GivenUp()
            }
        } catch is GivenUp {}
        return "thrown \(whats)"
    }
}
