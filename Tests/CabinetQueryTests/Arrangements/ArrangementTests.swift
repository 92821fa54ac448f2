import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// What arrangements say in single cases.
struct ArrangementTests {
    private static let classes: [StoredObject.Type] = [Melody.self, LongMelody.self, Reel.self]

    private func store(_ scene: IndexScene? = nil) throws -> Store {
        guard let scene else {
            return try StoreContainer(inMemory: Self.classes).makeStore()
        }
        return try scene.open(Self.classes)
    }

    @discardableResult
    private func add(
        _ title: String, _ artist: String?, _ year: Int = 0, to store: Store
    ) -> Melody {
        let melody = Melody()
        (melody.title, melody.artist, melody.year) = (title, artist, year)
        store.insert(melody)
        return melody
    }

    @Test func groupsAreInOrderAndTheirObjectsToo() throws {
        let store = try store()
        let milestones = add("Milestones", "Davis", 1958, to: store)
        let blue = add("Blue in Green", "Davis", 1959, to: store)
        let waltz = add("Waltz for Debby", "Evans", to: store)
        add("Unknown", nil, to: store)
        let byArtist = try store.byArtist()
        for _ in 0..<2 {
            #expect(try byArtist.groups().map(\.key) == [nil, "Davis", "Evans"])
            #expect(try byArtist.objects(in: "Davis") == [blue, milestones])
            #expect(try byArtist.index(of: milestones)?.index == 1)
            #expect(try byArtist.first(in: "Evans") == waltz)
            #expect(try byArtist.object(at: 1, in: "Evans") == nil)
            #expect(try byArtist.object(at: -1, in: "Evans") == nil)
            #expect(try byArtist.objects(in: "Davis", at: 1..<9) == [milestones])
            #expect(try byArtist.count(in: "Coltrane") == 0)
            try store.save()
        }
        waltz.artist = "Davis"
        #expect(try byArtist.groups().map(\.count) == [1, 3])
        try store.delete(blue)
        #expect(try byArtist.index(of: blue) == nil)
        #expect(try byArtist.last(in: "Davis") == waltz)
        store.rollback()
        #expect(try byArtist.groups().map(\.count) == [1, 2, 1])
    }

    @Test func boundsOfTheOrderAreIndicesOfTheGroup() throws {
        let store = try store()
        add("Z", "Coltrane", to: store)
        for title in ["B", "A", "C", "Ca", "D"] { add(title, "Davis", to: store) }
        try store.save()
        let byArtist = try store.byArtist()
        #expect(
            try byArtist.range(in: "Davis", from: .including("B"), to: .excluding("D")) == 1..<4)
        #expect(try byArtist.range(in: "Davis", from: .excluding("B")) == 2..<5)
        #expect(try byArtist.range(in: "Davis", to: .including("C")) == 0..<3)
        #expect(try byArtist.range(in: "Evans", to: .including("C")).isEmpty)
        #expect(throws: StoreError.self) {
            try byArtist.range(in: "Davis", from: .including(3))
        }
        // A collation compares the bounds, too.
        let melody = add("b", "Davis", 7, to: store)
        melody.rating = 5
        let rated = try store.indexes.arrangement("rated", of: Melody.self, groupedBy: Int.self)
        #expect(try rated.range(in: 7, from: .including("B"), to: .including("B")) == 0..<1)
    }

    @Test func whatIsNoArrangementIsRefused() throws {
        let store = try store()
        func expectRefusal<Key: OrderedKeyValue>(_ name: String, _ key: Key.Type) {
            #expect(throws: StoreError.self) {
                try store.indexes.arrangement(name, of: Melody.self, groupedBy: key)
            }
        }
        expectRefusal("none", String.self)
        // `artist` is a `String?`.
        expectRefusal("byArtist", String.self)
        try store.indexes.register(.ordered(\Melody.plays))
        expectRefusal("plays", Int.self)
        #expect(throws: StoreError.self) {
            try store.indexes.register(.ordered(\Melody.year, \Melody.title, named: "byArtist"))
        }
        // An index of the same columns is none of the same name.
        try store.indexes.register(.ordered(\Melody.year, \Melody.plays, named: "both"))
        #expect(throws: StoreError.self) {
            try store.indexes.register(
                .arranged(\Melody.plays, groupedBy: \Melody.year, named: "both"))
        }
        try store.indexes.register(
            .arranged(\Reel.length, groupedBy: \Reel.shot, named: "byArtist"))
        #expect(throws: StoreError.self) {
            try store.indexes.arrangement(
                "byArtist", ofClasses: [Melody.self, Reel.self], groupedBy: String?.self)
        }
        #expect(throws: StoreError.self) {
            try store.indexes.arrangement("byArtist", ofClasses: [], groupedBy: Int.self)
        }
    }

    @Test func aFilteredArrangementAsksBothConditions() throws {
        let store = try store()
        for rating in 0..<7 { add("T\(rating)", "Davis", 1959, to: store).rating = rating }
        try store.save()
        let best = try store.indexes.arrangement("best", of: Melody.self, groupedBy: Int.self)
        #expect(try best.objects(in: 1959).map(\.rating) == [5, 6])
        let narrower = Melody.rated.filtered(named: "few", version: 3) { (melody: Melody) in
            melody.rating < 4
        }
        #expect(narrower.version == 3)
        try store.indexes.register(narrower)
        let few = try store.indexes.arrangement("few", of: Melody.self, groupedBy: Int.self)
        #expect(try few.objects(in: 1959).map(\.rating) == [3])
        try store.indexes.build()
        #expect(try few.objects(in: 1959).map(\.rating) == [3])
    }

    @Test func aGroupTooLongForAKeyIsSaid() throws {
        let store = try store()
        add("Short", "Davis", to: store)
        let long = add("Long", String(repeating: "x", count: 2_000), to: store)
        for _ in 0..<2 {
            let byArtist = try store.byArtist()
            #expect(throws: OrderedKeyError.cut) { try byArtist.groups() }
            #expect(throws: OrderedKeyError.cut) { try byArtist.index(of: long) }
            #expect(throws: OrderedKeyError.cut) { try byArtist.count(in: long.artist) }
            #expect(try byArtist.count() == 2)
            #expect(try byArtist.objects(in: "Davis").count == 1)
            try store.save()
        }
    }

    @Test(arguments: IndexScene.Engine.allCases)
    func onceBehindItIsBuiltAgainAndChecked(_ engine: IndexScene.Engine) async throws {
        let scene = try IndexScene(engine)
        var store = try store(scene)
        for number in 0..<50 { add("T\(number % 7)", "A\(number % 3)", number, to: store) }
        try store.save()
        let position = try store.byArtist().position()
        try store.close()
        // A program that does not know it leaves it behind, and a later one brings it up to date.
        let older = try scene.open([PlainMelody.self])
        for melody in try older.fetch(PlainMelody.self) where melody.year % 2 == 0 {
            melody.artist = "B"
        }
        try older.save()
        try older.close()
        store = try self.store(scene)
        var random = SeededRandom(seed: 7)
        try store.expectArrangements(&random)
        try store.indexes.build()
        try store.expectArrangements(&random)
        #expect(try store.byArtist().changes(since: position).isReset)
        let report = try await store.check()
        #expect(report.isSound)
        try store.close()
    }

    @Test func changesSinceAPositionOfAnEarlierStoreAreKnown() throws {
        let scene = try IndexScene(.files)
        var store = try store(scene)
        let first = add("A", "Davis", to: store)
        add("B", "Davis", to: store)
        try store.save()
        first.title = "C"
        let gone = add("D", "Evans", to: store)
        try store.save()
        let position = try store.byArtist().position()
        #expect(try !store.byArtist().changes(since: position).isReset)
        first.artist = "Evans"
        try store.delete(gone)
        add("0", "Davis", to: store)
        #expect(try store.byArtist().changes(since: position).groups.map(\.count) == [2, 1])
        try store.save()
        try store.close()
        store = try self.store(scene)
        let change = try store.byArtist().changes(since: position)
        #expect(!change.isReset && change.groups.map(\.count) == [2, 1])
        #expect(change.insertions == [SectionPlace(section: 0, index: 0)])
        #expect(change.deletions == [SectionPlace(section: 1, index: 0)])
        #expect(change.moves.map(\.from) == [SectionPlace(section: 0, index: 1)])
        #expect(change.moves.map(\.to) == [SectionPlace(section: 1, index: 0)])
        #expect(try store.byArtist().changes(since: .start).isReset)
        let foreign = ChangePosition(line: 1, commit: position.commit)
        #expect(try store.byArtist().changes(since: foreign).isReset)
        try store.close()
    }

    @Test func aSlowReaderHearsOfOtherContent() throws {
        let store = try store()
        let melodies = (0..<300).map { add("T\($0 + 100)", "Davis", to: store) }
        add("A", "Coltrane", to: store)
        try store.save()
        let lists = [try store.byArtist().live(), try store.byArtist().live(in: "Davis")]
        let readers = lists.map { _ in LiveReader() }
        for (live, reader) in zip(lists, readers) {
            live.rows.add(reader)
            #expect(reader.take(live.rows)?.isReset == true)
        }
        melodies[7].plays = 1
        try store.save()
        melodies[200].title = "T"
        try store.save()
        for (offset, (live, reader)) in [1, 0].enumerated().map({ ($1, (lists[$0], readers[$0])) })
        {
            let change = try #require(reader.take(live.rows))
            #expect(change.moves.map(\.from) == [200 + offset])
            #expect(change.moves.map(\.to) == [offset])
            #expect(change.updates == [offset, 8 + offset])
        }
    }

    @Test func manyNewObjectsReachALiveListAtOnce() throws {
        let store = try store()
        add("A", "Coltrane", to: store)
        add("B", "Evans", to: store)
        try store.save()
        let byArtist = try store.byArtist()
        let (live, reader) = (try byArtist.live(), LiveReader())
        live.rows.add(reader)
        var table = TableModel()
        try table.apply(#require(reader.take(live.rows)))
        var groups = try GroupModel(byArtist, byArtist)
        for number in 0..<3_000 { add("T\(number)", "Davis", to: store) }
        try store.save()
        let change = try #require(reader.take(live.rows))
        #expect(change.insertions == Array(1...3_000))
        try table.apply(change)
        try groups.follow(byArtist, byArtist)
        #expect(groups.changes == 1)
        #expect(try table.rows == GroupModel.list(byArtist).flatMap(\.rows))
    }

    @Test func aStoreWithoutRecordsHasAnEmptyArrangement() throws {
        let store = try store()
        let byArtist = try store.byArtist()
        #expect(try byArtist.groups().isEmpty)
        #expect(try byArtist.changes(since: .start).groups.isEmpty)
        let live = try byArtist.live()
        add("A", "Davis", to: store)
        #expect(live.objects.isEmpty)
        try store.save()
        #expect(live.objects.count == 1)
        try store.close()
        #expect(throws: StoreError.self) { try byArtist.count() }
    }
}

/// As `Melody`, of a program that knows no arrangements.
final class PlainMelody: StoredObject {
    @Field var title = ""
    @Field var artist: String?
    @Field var year = 0
    @Field var rating = 0
    @Field var plays = 0

    override class var storageName: String { "Arranged_Melody" }
}
