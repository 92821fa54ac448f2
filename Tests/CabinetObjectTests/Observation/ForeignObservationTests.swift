import CabinetMemory
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Observers of objects that become what others have saved, or what was saved before.
struct ForeignObservationTests {
    /// What can be read of one object.
    private struct Property {
        let name: String
        let read: () -> String
    }

    private static func properties(_ tunes: [Tune], _ discs: [Disc]) -> [Property] {
        let rows = { (objects: [StoredObject]) in "\(objects.map(\.rowID))" }
        return tunes.flatMap { tune in
            [
                Property(name: "Tune \(tune.rowID) title") { tune.title },
                Property(name: "Tune \(tune.rowID) lists") { rows(tune.lists) },
                Property(name: "Tune \(tune.rowID) album") { rows([tune.album].compactMap { $0 }) },
                Property(name: "Tune \(tune.rowID) isChanged") { "\(tune.isChanged)" },
            ]
        }
            + discs.flatMap { disc in
                [
                    Property(name: "Disc \(disc.rowID) title") { disc.title },
                    Property(name: "Disc \(disc.rowID) tracks") { rows(disc.tracks) },
                ]
            }
    }

    private static func edit(_ store: Store, _ random: inout SeededRandom) throws {
        let (tunes, discs) = (try store.objects(of: Tune.self), try store.objects(of: Disc.self))
        let lists = try store.objects(of: TuneList.self)
        for _ in 0..<(1 + random.below(3)) {
            let tune = tunes[random.below(tunes.count)]
            switch random.below(5) {
            case 0: tune.title = "title \(random.below(4))"
            case 1: tune.album = random.once(in: 3) ? nil : discs[random.below(discs.count)]
            case 2: discs[random.below(discs.count)].title = "disc \(random.below(4))"
            case 3:
                let disc = discs[random.below(discs.count)]
                if !disc.tracks.contains(where: { $0 === tune }) { disc.tracks.append(tune) }
            default:
                let list = lists[random.below(lists.count)]
                if let index = list.tunes.firstIndex(where: { $0 === tune }) {
                    list.tunes.remove(at: index)
                } else {
                    list.tunes.append(tune)
                }
            }
        }
    }

    /// An observer of a title was called when another store had changed something else of its object.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func observersHearOfWhatHasBecomeAnotherAndOfNothingElse(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let backend = MemoryBackend()
        let store = try Bell.observedStore(on: backend)
        store.undoHistory.isEnabled = true
        let (tunes, discs) = ((0..<4).map { Tune("\($0)") }, [Disc(), Disc()])
        for object in tunes + discs + [TuneList(), TuneList()] as [StoredObject] {
            store.insert(object)
        }
        try store.save()
        let other = try Bell.observedStore(on: backend)
        let properties = Self.properties(tunes, discs)
        for round in 0..<RunSetting.repetitions(40) {
            let kind = random.below(4)
            if kind > 0 { try Self.edit(store, &random) }
            if kind == 0 {
                try Self.edit(other, &random)
                try other.save()
            }
            let before = properties.map { $0.read() }
            let bells = properties.map { _ in Bell() }
            for (property, bell) in zip(properties, bells) { bell.watch { _ = property.read() } }
            switch kind {
            case 0: try store.refresh()
            case 1: store.rollback()
            case 2: try store.undoHistory.undo()
            default: try store.rollback(tunes[random.below(tunes.count)])
            }
            let rings = bells.map(\.rings)
            for (index, property) in properties.enumerated() {
                let isSame = property.read() == before[index]
                let heard = rings[index] > 0
                // Of the rollback of one object, others than it hear whatever becomes of them.
                if isSame, kind == 3 { continue }
                #expect(
                    heard != isSame,
                    "\(property.name) was \(before[index]) (round \(round), kind \(kind))")
            }
            try store.save()
            try other.refresh()
        }
    }
}
