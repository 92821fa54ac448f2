import CabinetBackend
import CabinetMemory
import Testing
import TrustSupport

@testable import Cabinet

final class FoundNote: StoredObject {
    @Field var number = 0

    convenience init(_ number: Int) {
        self.init()
        self.number = number
    }
}

/// The objects of the rows that a search has found.
@Suite("Text indexes: objects of hits")
struct FoundObjectTests {
    private let backend = MemoryBackend()

    /// A store with 600 saved objects, whose numbers are their rows, every seventh of which was deleted.
    private func fill() throws {
        let store = try Store(backend: backend, classes: [FoundNote.self])
        for number in 2..<602 { store.insert(FoundNote(number)) }
        try store.save()
        for note in try store.objects(of: FoundNote.self) where note.number % 7 == 0 {
            try store.delete(note)
        }
        try store.save()
    }

    private func find(_ rows: [Int], in store: Store) throws -> FoundObjects {
        let search = CompiledSearch(SearchQuery(typed: "note"), [])
        return try store.foundObjects(
            of: store.registered(FoundNote.self),
            at: rows.map { ScoredRow(row: RowID(UInt32($0)), score: Double($0), typos: 0) },
            FoundTexts(search))
    }

    /// One by one, in the order of rows and in another one: rows that are gone are left out with their
    /// scores, wherever they stand.
    @Test(arguments: [
        [], [5], [7], Array(2..<14), Array(2..<602), Array(7..<603), Array(14...28),
        Array((2..<602).reversed()), Array(700..<720), Array(stride(from: 7, to: 602, by: 7)),
    ])
    func rowsWithoutObjectsAreLeftOut(_ rows: [Int]) throws {
        try fill()
        var random = SeededRandom(seed: 3)
        for rows in [rows, rows.shuffled(using: &random)] {
            let store = try Store(backend: backend, classes: [FoundNote.self])
            let found = try find(rows, in: store)
            let there = rows.filter { $0 % 7 != 0 && $0 < 602 }
            #expect(found.rows.map { Int($0.row.rawValue) } == there)
            #expect(found.rows.map { Int($0.score) } == there)
            #expect(found.objects.map { ($0 as? FoundNote)?.number } == there)
            #expect(found.objects.allSatisfy { !$0.isFault })
        }
    }

    /// Objects in memory stay the ones that they are, with what was changed; pending deletes are gone.
    @Test func objectsInMemoryAreFoundAsTheyAre() throws {
        try fill()
        let store = try Store(backend: backend, classes: [FoundNote.self])
        let held = try (2..<300).compactMap {
            try store.object(FoundNote.self, rowID: RowID(UInt32($0)))
        }
        for note in held where note.number % 5 == 0 { note.number += 10_000 }
        for note in held where note.number % 5 == 1 { try store.delete(note) }
        let found = try find(Array(2..<602), in: store)
        let there = (2..<602).filter { $0 % 7 != 0 && ($0 % 5 != 1 || $0 >= 300) }
        #expect(
            found.objects.map { ($0 as? FoundNote)?.number }
                == there.map { $0 % 5 == 0 && $0 < 300 ? $0 + 10_000 : $0 })
        #expect(found.rows.map { Int($0.row.rawValue) } == there)
        let known = Set(held.map(ObjectIdentifier.init))
        #expect(
            found.objects.allSatisfy { $0.rowID.rawValue >= 300 || known.contains(.init($0)) })
    }

    /// Pages of the table of live objects are used again: rows of later searches lie on others.
    @Test func searchesThatFollowOneAnotherLeaveNothing() throws {
        try fill()
        let store = try Store(backend: backend, classes: [FoundNote.self])
        var random = SeededRandom(seed: 5)
        for _ in 0..<50 {
            let rows = Array(2..<602).shuffled(using: &random).prefix(40).sorted()
            let found = try find(rows, in: store)
            #expect(
                try store.metadata(of: FoundNote.self).liveObjects == found.objects.count)
            #expect(found.objects.count == rows.count { $0 % 7 != 0 })
        }
        #expect(try store.metadata(of: FoundNote.self).liveObjects == 0)
    }
}
