import Foundation
import Synchronization
import Testing
import TrustSupport

@testable import Cabinet

/// A list in one isolation domain follows stores that save in others.
@MainActor struct LiveIsolationTests {
    private final class Ended: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }
        func add() { value.withLock { $0 += 1 } }
    }

    /// Each writer inserts notes of a rank of its own and edits them.
    @concurrent
    private static func write(_ part: Int, to container: StoreContainer, _ saves: Int) async throws
    {
        let store = try container.makeStore()
        var random = SeededRandom(seed: RunSetting.seed, part: UInt64(part))
        var notes: [Note] = []
        for number in 0..<saves {
            let note = Note()
            (note.text, note.rank) = ("\(part) \(number)", part)
            store.insert(note)
            notes.append(note)
            notes.randomElement(using: &random)?.text = "\(part) \(random.below(20))"
            if notes.count > 10, random.once(in: 3) {
                try store.delete(notes.remove(at: random.below(notes.count)))
            }
            try store.save()
            if number.isMultiple(of: 8) { await Task.yield() }
        }
        try store.close()
    }

    @Test func aListOnTheMainActorFollowsThreeSavingStores() async throws {
        let container = StoreContainer(inMemory: [Note.self, LongNote.self])
        let store = try container.makeStore()
        let live = try store.query(Note.self).sorted(by: \.text).live()
        let ofOne = try store.query(Note.self).filter(#Predicate { $0.rank == 1 }).liveCount()
        let (keeping, sleeping) = (LiveReader(), LiveReader())
        var (table, late) = (TableModel(), TableModel())
        for reader in [keeping, sleeping] { live.rows.add(reader) }
        if let change = keeping.take(live.rows) { try table.apply(change) }
        if let change = sleeping.take(live.rows) { try late.apply(change) }
        let saves = RunSetting.repetitions(400)
        let ended = Ended()
        let writers = (0..<3).map { part in
            Task {
                defer { ended.add() }
                try await Self.write(part, to: container, saves)
            }
        }
        while ended.count < 3 {
            try store.refresh()
            if let change = keeping.take(live.rows) { try table.apply(change) }
            await Task.yield()
        }
        for writer in writers { try await writer.value }
        try store.refresh()
        if let change = keeping.take(live.rows) { try table.apply(change) }
        if let change = sleeping.take(live.rows) { try late.apply(change) }
        let fetched = try store.query(Note.self).sorted(by: \.text).rowIDs()
        #expect(live.objects.rowIDs == fetched)
        #expect(table.rows == live.objects.numbers && late.rows == table.rows)
        #expect(ofOne.value == (try store.query(Note.self).filter { $0.rank == 1 }.count()))
        try store.close()
        try container.close()
    }
}
