import CabinetBackend
import Testing

@testable import Cabinet

/// Live lists of arrangements in single cases.
struct LiveArrangementTests {
    private static let classes: [StoredObject.Type] = [Melody.self, LongMelody.self, Reel.self]

    @discardableResult
    private func add(_ title: String, _ artist: String, _ year: Int = 0, to store: Store) -> Melody
    {
        let melody = Melody()
        (melody.title, melody.artist, melody.year) = (title, artist, year)
        store.insert(melody)
        return melody
    }

    private func decades(_ store: Store) throws -> ArrangedObjects<Int, Melody> {
        try store.indexes.arrangement("byDecade", of: Melody.self, groupedBy: Int.self)
    }

    @Test func aReaderGoesOnFromAPositionOfAnEarlierRun() async throws {
        let scene = try IndexScene(.files)
        var store = try scene.open(Self.classes)
        for title in ["A", "B", "C"] { add(title, "Davis", 1958, to: store) }
        add("D", "Evans", 1961, to: store)
        try store.save()
        var earlier = try store.byArtist().live().changes.makeAsyncIterator()
        var before = TableModel()
        let first = try #require(try await earlier.next())
        try before.apply(first)
        let position = try first.position()
        let melodies = try store.melodies.sorted { $0.title < $1.title }
        (melodies[1].title, melodies[2].plays) = ("E", 1)
        try store.delete(melodies[0])
        add("F", "Coltrane", 1963, to: store)
        try store.save()
        try store.close()

        store = try scene.open(Self.classes)
        var list = try store.byArtist().live().resume(after: position).makeAsyncIterator()
        let change = try #require(try await list.next())
        #expect(!change.isReset && change.cause == .resumption && change.authors == [])
        // A, B, C, D became F, C, E, D.
        #expect(change.deletions == [0] && change.insertions == [0])
        #expect(change.moves.count == 1 && change.updates.contains(1))
        try before.apply(change)
        #expect(before.rows == change.objects.numbers)

        var groups = try decades(store).liveGroups(descending: true).resume(after: position)
            .makeAsyncIterator()
        let grouped = try #require(try await groups.next())
        #expect(grouped.sections.map(\.key) == [196, 195] && grouped.sectionDeletions == [])
        #expect(grouped.insertions == [SectionPlace(section: 0, index: 1)])
        #expect(grouped.deletions == [SectionPlace(section: 1, index: 0)])

        // Nothing has changed since, which the first change says, and then it waits for more.
        let now = try grouped.position()
        #expect(try change.position() == now && now == store.backend.position())
        list = try store.byArtist().live().resume(after: now).makeAsyncIterator()
        let none = try #require(try await list.next())
        #expect(!none.isReset && none.deletions + none.insertions + none.updates == [])
        #expect(none.moves.isEmpty && none.objects.count == 4)
        add("G", "Evans", 1_965, to: store)
        try store.save()
        let next = try #require(try await list.next())
        #expect(next.insertions == [4] && next.cause == .save)

        // A commit of another class moves the basis, and not the list.
        let live = try store.byArtist().live()
        store.insert(Reel())
        try store.save()
        list = live.resume(after: now).makeAsyncIterator()
        #expect(try await list.next()?.insertions == [4])
        try store.close()
    }

    @Test func withoutWhatAPositionNeedsTheFirstChangeIsAReset() async throws {
        let scene = try IndexScene(.files)
        let store = try scene.open(Self.classes)
        add("A", "Davis", to: store)
        try store.save()
        let shown = try store.byArtist().live().position()
        func first(_ changes: LiveChanges<Melody>) async throws -> LiveChange<Melody>? {
            var iterator = changes.makeAsyncIterator()
            return try await iterator.next()
        }
        let foreign = ChangePosition(line: 1, commit: shown.commit)
        for changes in [
            try store.query(Melody.self).live().resume(after: shown),
            try store.byArtist().live(includingPending: true).resume(after: shown),
            try store.byArtist().live().resume(after: .start),
            try store.byArtist().live().resume(after: foreign),
        ] {
            let change = try #require(try await first(changes))
            #expect(change.isReset && change.cause == [] && change.objects.count == 1)
        }
        var sections = try store.query(Melody.self).live(sections: \.year).resume(after: shown)
            .makeAsyncIterator()
        #expect(try await sections.next()?.isReset == true)
        try store.close()
    }

    @Test func groupsFollowWhatIsPending() async throws {
        let store = try StoreContainer(inMemory: Self.classes).makeStore()
        let old = add("A", "Davis", 1955, to: store)
        add("B", "Davis", 1961, to: store)
        try store.save()
        let live = try decades(store).liveGroups(descending: true, includingPending: true)
        var changes = live.changes.makeAsyncIterator()
        #expect(try await changes.next()?.sections.map(\.key) == [196, 195])
        let saved = try decades(store).liveGroups()
        let new = add("C", "Evans", 1972, to: store)
        old.year = 1960
        let edited = try #require(try await changes.next())
        #expect(edited.sections.map(\.key) == [197, 196] && edited.cause == .edit)
        #expect(edited.sectionInsertions == [0] && edited.sectionDeletions == [1])
        #expect(edited.insertions == [SectionPlace(section: 1, index: 0)])
        #expect(live.objects.map(\.title) == ["C", "A", "B"])
        #expect(saved.sections.map(\.key) == [195, 196])
        try store.save()
        #expect(live.sections.map(\.objects.count) == [1, 2])
        #expect(saved.sections.map(\.key) == [196, 197])
        try store.delete(new)
        #expect(live.sections.map(\.key) == [196])
        store.rollback()
        #expect(live.sections.map(\.key) == [197, 196])
        try store.close()
        #expect(live.sections.isEmpty && live.objects.isEmpty)
    }
}
