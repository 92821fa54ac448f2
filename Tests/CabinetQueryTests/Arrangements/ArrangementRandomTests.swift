import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// Whatever two stores do, an arrangement is what a fetch gives, sorted and grouped.
struct ArrangementRandomTests {
    static let classes: [StoredObject.Type] = [Melody.self, LongMelody.self, Reel.self]

    @Test(arguments: RunSetting.seeds(24))
    func anArrangementIsWhatAFetchGives(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let scene = try IndexScene(random.once(in: 2) ? .memory : .files)
        let container = StoreContainer(backend: scene.backend, classes: Self.classes)
        let store = try container.makeStore()
        let other = random.once(in: 3) ? nil : try container.makeStore()
        store.undoHistory.isEnabled = random.once(in: 2)
        // Else the first change is a reset, as classes without records have no tables.
        for _ in 0..<20 { try Self.edit(store, &random) }
        try store.save()
        var watch = try ArrangementWatch(store)
        for step in 0..<RunSetting.repetitions(320) {
            switch random.below(20) {
            case 0..<9: try Self.edit(store, &random)
            case 9..<12: if let other { try Self.edit(other, &random) }
            case 12: if let other { try save(other, .mine) }
            case 13: try store.refresh()
            case 14, 15: try save(store, random.once(in: 2) ? .mine : .theirs)
            case 16: random.once(in: 3) ? store.rollback() : try undo(store, &random)
            case 17: if random.once(in: 4) { try renew(store, &random) }
            default: for _ in 0..<random.below(30) { try Self.edit(store, &random) }
            }
            guard random.once(in: 3) else { continue }
            do {
                try store.expectArrangements(&random)
                if random.once(in: 3) { try other?.expectArrangements(&random) }
                try watch.check(waking: random.once(in: 2))
            } catch {
                Issue.record("step \(step): \(error)")
                return
            }
        }
        if watch.changes + watch.resets > 20 { #expect(watch.changes > watch.resets) }
        // A class without records has no table yet, and counts as complete.
        try store.indexes.require()
        try store.expectArrangements(&random)
        try container.close()
    }

    /// Takes an arrangement away, which then is none, and adds it again; sometimes waits until it is built.
    private func renew(_ store: Store, _ random: inout SeededRandom) throws {
        for type in [Melody.self, LongMelody.self] {
            try store.indexes.unregister(named: "rated", of: type)
        }
        #expect(throws: StoreError.self) {
            try store.indexes.arrangement("rated", of: Melody.self, groupedBy: Int.self)
        }
        for type in [Melody.self, LongMelody.self] {
            try store.indexes.register(Melody.rated, of: type)
        }
        if random.once(in: 2) { try store.expectArrangements(&random) }
        if random.once(in: 2) { try store.indexes.build() }
    }

    private func save(_ store: Store, _ policy: ConflictPolicy) throws {
        do { try store.save(onConflict: policy) } catch StoreError.conflict { store.rollback() }
    }

    private func undo(_ store: Store, _ random: inout SeededRandom) throws {
        guard store.undoHistory.isEnabled else { return }
        do {
            _ = try random.once(in: 3) ? store.undoHistory.redo() : store.undoHistory.undo()
        } catch StoreError.changedSince { store.undoHistory.removeAll() }
    }

    static func edit(_ store: Store, _ random: inout SeededRandom) throws {
        let melodies = try store.melodies
        let title = ["a", "b", "c", "A", "ä", "B", "", "aa"][random.below(8)]
        let artist = ["Evans", "Davis", "", "evans", nil][random.below(5)]
        let number = 1_950 + random.below(40)
        let melody = melodies.randomElement(using: &random)
        switch random.below(12) {
        case 0, 1, 2:
            let new = random.once(in: 3) ? LongMelody() : Melody()
            (new.title, new.artist, new.year) = (title, artist, number)
            new.rating = random.below(7)
            store.insert(new)
        case 3: melody?.title = title
        case 4: melody?.artist = artist
        case 5: melody?.year = number
        case 6: melody?.rating = random.below(7)
        case 7: melody?.plays += 1
        case 8:
            let reel = Reel()
            reel.shot = number
            store.insert(reel)
        case 9: try store.fetch(Reel.self).randomElement(using: &random)?.shot = number
        case 10:
            let reels = try store.fetch(Reel.self)
            if reels.count > 6 { try store.delete(reels[random.below(reels.count)]) }
        default:
            for melody in melodies.shuffled(using: &random).prefix(max(melodies.count / 12, 1))
            where melodies.count > 20 { try store.delete(melody) }
        }
    }
}
