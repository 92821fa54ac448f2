import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// Whatever two stores do, each live list is what a fetch gives, and each change set leads from the
/// former list to the next.
struct LiveRandomTests {
    private static let classes: [StoredObject.Type] = [
        Track.self, Record.self, Cover.self, Note.self, LongNote.self,
    ]

    private func lists(_ store: Store) throws -> [any WatchedList] {
        let byTitle: [ObjectOrder<Track>] = [.ascending(\.title)]
        let late = #Predicate<Track> { $0.year > 4 }
        return [
            try Watched(store, ObjectQuery<Track>(sortedBy: byTitle)),
            try Watched(store, ObjectQuery<Track>(where: late)),
            try Watched(
                store,
                ObjectQuery<Track>(
                    where: late, sortedBy: [.descending(\.year), .ascending(\.title)])),
            try Watched(store, ObjectQuery<Track>(sortedBy: [.ascending(\.year)], limit: 3)),
            try Watched(
                store, ObjectQuery<Track>(where: late, sortedBy: byTitle, limit: 4, offset: 2)),
            try Watched(store, ObjectQuery<Track>(sortedBy: byTitle, offset: 3)),
            try Watched(
                store,
                ObjectQuery<Track>(
                    where: #Predicate { ($0.record?.year ?? 0) > 4 },
                    sortedBy: byTitle)),
            try Watched(
                store,
                ObjectQuery<Track>(where: #Predicate { $0.record?.year == 4 }, sortedBy: byTitle)),
            try Watched(
                store, ObjectQuery<Track>(where: #Predicate { $0.record?.year == 5 }), pending: true
            ),
            try Watched(
                store,
                ObjectQuery<Track>().filter(text: "record.year > 4 ORDER BY title LIMIT 3")),
            try Watched(
                store,
                ObjectQuery<Record>(where: #Predicate { $0.tracks.contains { $0.year > 4 } })),
            try Watched(store, ObjectQuery<Track>(where: #Predicate { $0.cover == nil })),
            try Watched(store, ObjectQuery<Track>(sortedBy: [.ascending(\.decade)])),
            try Watched(store, ObjectQuery<Track>(sortedBy: byTitle), pending: true),
            try Watched(
                store,
                ObjectQuery<Track>(where: late, sortedBy: [.descending(\.year)], limit: 5),
                pending: true),
            try Watched(
                store, ObjectQuery<Record>(where: { !$0.tracks.isEmpty }), pending: true),
            try Watched(
                store, ObjectQuery<Note>(where: { $0.rank > 2 && $0.text != "a" })),
            try Watched(
                store,
                ObjectQuery<Note>(
                    where: #Predicate { $0.tags.contains("b") }, sortedBy: [.ascending(\.rank)],
                    includingSubclasses: true), pending: true),
            try Watched(
                store, ObjectQuery<Note>(sortedBy: [.descending(\.rank)], includingSubclasses: true)
            ),
            try WatchedCount(store, ObjectQuery<Track>(where: late)),
            try WatchedCount(store, ObjectQuery<Track>(where: #Predicate { $0.title == "ä" })),
            try WatchedCount(store, ObjectQuery<Track>(where: late, limit: 4, offset: 1)),
            try WatchedSections(store, ObjectQuery<Track>(where: late, sortedBy: byTitle)),
            try WatchedSections(store, ObjectQuery<Track>(sortedBy: byTitle, limit: 6, offset: 1)),
        ] + (try narrow(store))
    }

    /// Lists that a change is led to by the values of a field.
    private func narrow(_ store: Store) throws -> [any WatchedList] {
        let byTitle: [ObjectOrder<Track>] = [.ascending(\.title)]
        var lists: [any WatchedList] = []
        func add(_ predicate: Predicate<Track>, limit: Int? = nil) throws {
            lists.append(
                try Watched(
                    store, ObjectQuery<Track>(where: predicate, sortedBy: byTitle, limit: limit)))
        }
        for year in 0..<10 { try add(#Predicate { $0.year == year }) }
        for title in ["a", "ä", "b"] { try add(#Predicate { $0.title == title }) }
        for years in [2..<5, 4..<9] { try add(#Predicate { years.contains($0.year) }, limit: 3) }
        return lists
    }

    /// A million steps in the long form: of many short runs, as a step takes longer the longer the lists are.
    private static let (runs, steps) = RunSetting.share == 1 ? (4000, 250) : (96, 2000)

    @Test(arguments: RunSetting.seeds(runs))
    func eachListIsWhatAFetchGives(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let container = StoreContainer(inMemory: Self.classes)
        let store = try container.makeStore()
        let other = try container.makeStore()
        store.undoHistory.isEnabled = random.once(in: 2)
        for _ in 0..<random.below(20) { try edit(store, &random) }
        if random.once(in: 2) { try store.save() }
        // A few, so that there is time for more steps.
        var lists = try lists(store).filter { _ in random.once(in: 5) }
        for step in 0..<RunSetting.repetitions(Self.steps) {
            if random.once(in: 500) { try editMany(store, &random) }
            switch random.below(20) {
            case 0..<11: try edit(store, &random)
            case 11..<14: try edit(other, &random)
            case 14: try save(other, .mine)
            case 15: try other.refresh()
            case 16: try store.refresh()
            case 17: try save(store, random.once(in: 2) ? .mine : .theirs)
            case 18: random.once(in: 3) ? store.rollback() : try undo(store, &random)
            default:
                for _ in 0..<random.below(40) { try edit(store, &random) }
                try save(store, .mine)
            }
            if random.once(in: 400) {
                lists = try self.lists(store).filter { _ in random.once(in: 5) }
            }
            let isAwake = random.once(in: 6)
            do {
                for list in lists { try list.read(waking: isAwake) }
                if !random.once(in: 4) { continue }
                try store.withState(includingPending: false) { saved in
                    for list in lists { try list.check(in: store, saved) }
                }
            } catch {
                Issue.record("step \(step): \(error)")
                return
            }
        }
    }

    /// So many in one save that lists take them up at once, or run their query again.
    private func editMany(_ store: Store, _ random: inout SeededRandom) throws {
        let tracks = try store.fetch(Track.self)
        if tracks.count > 300 {
            try store.delete(contentsOf: tracks.filter { _ in !random.once(in: 20) })
        } else {
            for _ in 0..<100 + random.below(random.once(in: 4) ? 1500 : 200) {
                let track = Track()
                (track.title, track.year) = (["a", "b", "c"][random.below(3)], random.below(10))
                store.insert(track)
            }
            for track in tracks where random.once(in: 2) { track.year = random.below(10) }
        }
        try save(store, .mine)
    }

    /// Saves, or drops what cannot be saved beside what others have done.
    private func save(_ store: Store, _ policy: ConflictPolicy) throws {
        do { try store.save(onConflict: policy) } catch StoreError.conflict { store.rollback() }
    }

    private func undo(_ store: Store, _ random: inout SeededRandom) throws {
        guard store.undoHistory.isEnabled else { return }
        do {
            _ = try random.once(in: 3) ? store.undoHistory.redo() : store.undoHistory.undo()
        } catch StoreError.changedSince { store.undoHistory.removeAll() }
    }

    private func edit(_ store: Store, _ random: inout SeededRandom) throws {
        let tracks = try store.fetch(Track.self)
        let records = try store.fetch(Record.self)
        let notes = try store.fetch(ObjectQuery<Note>(includingSubclasses: true))
        let title = ["a", "b", "c", "d", "ä", "B", ""][random.below(7)]
        let number = random.below(10)
        switch random.below(16) {
        case 0, 1:
            let track = Track()
            (track.title, track.year) = (title, number)
            store.insert(track)
        case 2:
            let record = Record()
            record.year = number
            store.insert(record)
            record.tracks = tracks.filter { _ in random.once(in: 4) }
        case 3:
            let note = random.once(in: 2) ? Note() : LongNote()
            (note.text, note.rank) = (title, number)
            store.insert(note)
        case 4: tracks.randomElement(using: &random)?.title = title
        case 5, 6: tracks.randomElement(using: &random)?.year = number
        case 7: tracks.randomElement(using: &random)?.plays += 1
        case 8:
            tracks.randomElement(using: &random)?.record = records.randomElement(using: &random)
        case 9: records.randomElement(using: &random)?.year = number
        case 10:
            let track = tracks.randomElement(using: &random)
            let cover = Cover()
            store.insert(cover)
            track?.cover = cover
        case 11:
            if let cover = try store.fetch(Cover.self).randomElement(using: &random) {
                try store.delete(cover)
            }
        case 12:
            if tracks.count > 12, let track = tracks.randomElement(using: &random) {
                try store.delete(track)
            }
        case 13:
            if records.count > 3, let record = records.randomElement(using: &random) {
                try store.delete(record)
            }
        case 14:
            let note = notes.randomElement(using: &random)
            note?.rank = number
            note?.text = title
            if random.once(in: 2) { note?.tags.formSymmetricDifference([title]) }
        default:
            if notes.count > 8, let note = notes.randomElement(using: &random) {
                try store.delete(note)
            }
        }
    }
}
