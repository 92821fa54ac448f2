import CabinetBackend
import CabinetMemory
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// An owner whose references a save does not change is not looked for in the table of referrers.
struct ReferrerHistoryTests {
    @Test(
        arguments: RunSetting.seeds(8),
        [
            ReferrerHistory.Setting(), .init(isUndoing: false), .init(isEager: false),
            .init(isInFiles: true), .init(isShared: true), .init(isUndoing: false, isShared: true),
            .init(isUnmerged: true), .init(isUndoing: false, isShared: true, isUnmerged: true),
            .init(isInFiles: true, isShared: true, isUnmerged: true),
        ])
    func theTableIsRightAfterAnyHistory(
        _ seed: UInt64, _ setting: ReferrerHistory.Setting
    ) async throws {
        let history = try ReferrerHistory(seed: seed, setting)
        #expect(try history.play(turns: 200))
        #expect(history.saves > 10)
        #expect(setting.isUnmerged == (history.unmergedSaves > 0))
        let report = try await StoreSchema.check(history.store.backend)
        // Without its class, a reference in a value of a program's own is not seen.
        let wrong = report.findings.filter {
            [.missingReferrer, .strayReferrer].contains($0.kind) && $0.className != "Badged"
        }
        #expect(wrong.isEmpty)
    }

    /// Records of an earlier layout are upgraded and completed at random moments.
    @Test(arguments: RunSetting.seeds(12))
    func theTableIsRightWhileRecordsAreUpgraded(_ seed: UInt64) throws {
        let backend = MemoryBackend()
        var random = SeededRandom(seed: seed)
        do {
            let store = try Store(backend: backend, classes: [EarlierBeads.Bead.self])
            let all = (0..<24).map { number in
                let link = EarlierBeads.Bead()
                link.number = number
                store.insert(link)
                return link
            }
            func some() -> [EarlierBeads.Bead] { all.filter { _ in random.next(upTo: 6) == 0 } }
            for link in all {
                link.following = all.randomElement(using: &random)
                (link.others, link.idols, link.children) = (some(), some(), some())
            }
            try store.save()
            try store.delete(all[random.next(upTo: all.count)])
            try store.save()
        }
        let classes: [StoredObject.Type] = [UpgradedBead.self]
        let store = try Store(backend: backend, classes: classes)
        for turn in 0..<60 {
            let rows = try store.objects(of: UpgradedBead.self).map(\.rowID)
            // Nothing holds the objects, so most records are read again and again.
            func any() throws -> UpgradedBead? {
                try rows.randomElement(using: &random).flatMap {
                    try store.object(UpgradedBead.self, rowID: $0)
                }
            }
            guard let link = try any() else { break }
            switch random.next(upTo: 8) {
            case 0: link.idols.append(try #require(try any()))
            case 1: link.parent = try any()
            case 2: link.next = try any()
            case 3: try store.delete(link)
            case 4: try store.upgradeAll()
            default: link.number += 1
            }
            if random.next(upTo: 2) == 0 {
                try store.save()
            } else if turn % 9 == 8 {
                store.rollback()
            }
            if store.hasChanges { continue }
            let truth = try ReferrerTruth(backend, classes)
            #expect(truth.isRight, "seed \(seed), turn \(turn): \(truth.difference)")
        }
    }

    // MARK: What a save looks at

    private func chain(_ count: Int) throws -> (FaultyBackend, Store, [Bead]) {
        let backend = FaultyBackend()
        let store = try Store(backend: backend, classes: beads)
        let all = (0..<count).map { _ in Bead() }
        all.forEach(store.insert)
        for (link, next) in zip(all, all.dropFirst()) { link.next = next }
        try store.save()
        return (backend, store, all)
    }

    /// Whether the save now keeps the references of `object`, as far as is known.
    private func isKept(_ object: StoredObject) -> Bool { object.state.contains(.refersAsSaved) }

    @Test func anOwnerWhoseValueChangesIsPassedBy() throws {
        let (_, store, all) = try chain(3)
        for _ in 0..<2 {
            #expect(all.allSatisfy(isKept))
            for link in all { link.number += 2 }
            #expect(all.allSatisfy(isKept))
            try store.save()
        }
        all[0].next = all[2]
        #expect(!isKept(all[0]) && isKept(all[1]))
        try store.save()
        #expect(all.allSatisfy(isKept))
        #expect(try store.referrers(of: all[2]) == [all[0], all[1]])
    }

    @Test func anObjectThatIsReadIsKnown() throws {
        let (backend, _, _) = try chain(3)
        let store = try Store(backend: backend, classes: beads)
        let all = try store.objects(of: Bead.self)
        #expect(all.allSatisfy(isKept))
        store.rollback()
        for link in all { link.number += 2 }
        store.rollback()
        #expect(all.allSatisfy { $0.number == 0 && isKept($0) })
    }

    /// Reading passes it over, and if it comes back, so does the reference.
    @Test func aDeletedTargetStaysInTheRecordOfItsOwner() throws {
        let (backend, store, all) = try chain(3)
        try store.delete(all[1])
        try store.save()
        #expect(isKept(all[0]) && all[0].next == nil)
        all[0].number = 2
        try store.save()
        #expect(isKept(all[0]) && all[0].next == nil)
        let truth = try ReferrerTruth(backend, beads)
        #expect(truth.isRight && truth.written.count == 1, "\(truth.difference)")
        store.insert(all[1])
        #expect(all[0].next === all[1])
        all[0].number = 4
        try store.save()
        #expect(try store.referrers(of: all[1]) == [all[0]])
        #expect(try ReferrerTruth(backend, beads).isRight)
    }

    /// Several that come into one relationship at once are marked by a shorter way, which another
    /// change of theirs has left open.
    @Test func severalThatComeToReferAtOnceAreLookedAt() throws {
        let (backend, store, all) = try chain(6)
        for bead in all { bead.number = 2 }
        all[0].idols = Array(all[1...])
        #expect(all[5].fans == [all[0]] && !all.contains(where: isKept))
        try store.save()
        #expect(try ReferrerTruth(backend, beads).isRight)
        #expect(try store.referrers(of: all[0]).count == 5)
    }

    /// Without a look at the table, a save in the one store would keep what the other's has replaced.
    @Test func whatAnotherStoreHasSavedIsFound() throws {
        let (backend, store, all) = try chain(3)
        let other = try Store(backend: backend, classes: beads)
        try #require(try other.objects(of: Bead.self).first).next = nil
        try other.save()
        all[0].number = 2
        try store.save()
        #expect(try store.referrers(of: all[1]) == [all[0]])
        #expect(try ReferrerTruth(backend, beads).isRight)
    }
}
