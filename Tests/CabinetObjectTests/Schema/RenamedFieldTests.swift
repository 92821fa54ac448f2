import CabinetMemory
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// One class over the years, whose names come and go.
private enum Titles {
    class Base: StoredObject {
        override class var storageName: String { "Tune" }
    }
    final class First: Base {
        @Field var title = ""
        override class var indexes: [Index] { [.ordered(\First.title)] }
        override class var textIndexes: [TextIndex] { [.text(\First.title)] }
    }
    /// Another field has the name now.
    final class Second: Base {
        @Field(was: "title") var name = ""
        @Field var title = "new"
        override class var indexes: [Index] { [.ordered(\Second.title), .ordered(\Second.name)] }
        override class var textIndexes: [TextIndex] { [.text(\Second.title), .text(\Second.name)] }
    }
    /// Says no more what was renamed.
    final class Third: Base {
        @Field var name = ""
        @Field var title = ""
    }
    /// The same declaration as the first program's.
    final class Dropped: Base {
        @Field var title = ""
        override class var version: UInt8 { 2 }
    }
    final class Renamed: Base {
        @Field(was: "title") var name = ""
    }
    final class Again: Base {
        @Field(was: "name") var heading = ""
    }
    final class Skipping: Base {
        @Field(was: ["name", "title"]) var heading = ""
    }
    final class Mistaken: Base {
        @Field(was: "caption") var heading = ""
    }
    final class Both: Base {
        @Field(was: "title") var name = ""
        @Field(was: "title") var heading = ""
    }
}

private enum Pairs {
    class Base: StoredObject {
        override class var storageName: String { "Pair" }
    }
    final class First: Base {
        @Field var a = 1
        @Field var b = 2
        override class var indexes: [Index] { [.ordered(\First.a)] }
    }
    final class Exchanged: Base {
        @Field(was: "b") var a = 0
        @Field(was: "a") var b = 0
        override class var indexes: [Index] { [.ordered(\Exchanged.a)] }
    }
    /// A rename to the name of a removed field.
    final class Taken: Base {
        @Field(was: "b") var a = 0
    }
}

private enum Names {
    final class Song: StoredObject { @Field var title = "" }
    final class Track: StoredObject {
        @Field var title = ""
        override class var formerStorageNames: [String] { ["Song"] }
    }
    final class Piece: StoredObject {
        @Field var title = ""
        override class var formerStorageNames: [String] { ["Track", "Song"] }
    }
}

struct RenamedFieldTests {
    let bench = SchemaBench()

    @discardableResult
    private func save<Object: StoredObject>(
        _ type: Object.Type, _ edit: (Object) -> Void
    ) throws -> RowID {
        let store = try bench.open([type])
        let object = Object()
        edit(object)
        store.insert(object)
        try store.save()
        // An object has its row as long as there is its store, which an optimised build would let go.
        return withExtendedLifetime(store) { object.rowID }
    }

    private func object<Object: StoredObject>(_ type: Object.Type, _ row: RowID) throws -> Object {
        try #require(try bench.open([type]).object(type, rowID: row))
    }

    @Test func aFieldThatClaimsANameHasItsValues() throws {
        let row = try save(Titles.First.self) { $0.title = "Echoes" }
        let object = try object(Titles.Second.self, row)
        #expect(object.name == "Echoes" && object.title == "new")
        try save(Titles.Second.self) { ($0.name, $0.title) = ("Money", "second") }
        let store = try bench.open([Titles.Second.self])
        #expect(
            try store.objects(of: Titles.Second.self).map(\.name).sorted() == ["Echoes", "Money"])
        // What the layout of a record once said holds for programs that do not say it again.
        let third = try bench.open([Titles.Third.self])
        #expect(try third.objects(of: Titles.Third.self).map(\.title).sorted() == ["", "second"])
    }

    @Test func indexesOfANameThatMovedAreMadeAnew() async throws {
        let first = try bench.open([Titles.First.self])
        for title in ["Echoes", "Money"] {
            let object = Titles.First()
            object.title = title
            first.insert(object)
        }
        try first.save()
        try first.indexes.build()
        let store = try bench.open([Titles.Second.self])
        try store.indexes.build()
        func count(_ predicate: Predicate<Titles.Second>) throws -> Int {
            try store.count(of: Titles.Second.self, where: predicate)
        }
        #expect(try count(#Predicate { $0.title == "Echoes" }) == 0)
        #expect(try count(#Predicate { $0.name == "Echoes" }) == 1)
        #expect(try count(#Predicate { $0.title == "new" }) == 2)
        #expect(try store.search(Titles.Second.self, "money").count == 1)
        #expect(try await store.check().isSound)
    }

    @Test func aFieldThatWasRenamedTwiceKeepsEveryValue() throws {
        let first = try save(Titles.First.self) { $0.title = "one" }
        let second = try save(Titles.Renamed.self) { $0.name = "two" }
        // No program need name the title again: the second layout says it.
        let third = try save(Titles.Again.self) { $0.heading = "three" }
        for type in [Titles.Again.self, Titles.Skipping.self] as [Titles.Base.Type] {
            let store = try bench.open([type])
            for (row, text) in [(first, "one"), (second, "two"), (third, "three")] {
                let object = try #require(try store.object(type, rowID: row))
                let heading =
                    (object as? Titles.Again)?.heading ?? (object as? Titles.Skipping)?.heading
                #expect(heading == text)
            }
        }
        // Nor do older programs lose anything.
        #expect(try object(Titles.First.self, third).title == "three")
    }

    @Test func aProgramThatSkippedOneNamesAllNames() throws {
        let row = try save(Titles.First.self) { $0.title = "one" }
        #expect(try object(Titles.Skipping.self, row).heading == "one")
    }

    @Test func aNameThatWasForgottenIsReportedAndCanBeAdded() throws {
        let first = try save(Titles.First.self) { $0.title = "one" }
        let second = try save(Titles.Mistaken.self) { $0.heading = "two" }
        let mistaken = try bench.open([Titles.Mistaken.self])
        #expect(try mistaken.metadata(of: Titles.Mistaken.self).unclaimedFields == ["title"])
        #expect(mistaken.debugReport.unclaimedFields == ["Tune.title"])
        #expect("\(mistaken.debugReport)".contains("Tune.title"))
        let store = try bench.open([Titles.Skipping.self])
        #expect(try store.metadata(of: Titles.Skipping.self).unclaimedFields == [])
        #expect(try store.object(Titles.Skipping.self, rowID: first)?.heading == "one")
        #expect(try store.object(Titles.Skipping.self, rowID: second)?.heading == "two")
    }

    @Test func exchangedNamesExchangeNoValues() async throws {
        let first = try save(Pairs.First.self) { ($0.a, $0.b) = (1, 2) }
        try bench.open([Pairs.First.self]).indexes.build()
        let second = try save(Pairs.Exchanged.self) { ($0.a, $0.b) = (20, 10) }
        #expect(try bench.record(first).first != bench.record(second).first)
        let store = try bench.open([Pairs.Exchanged.self])
        try store.indexes.build()
        let old = try #require(try store.object(Pairs.Exchanged.self, rowID: first))
        let new = try #require(try store.object(Pairs.Exchanged.self, rowID: second))
        let values: [Int] = [old.a, old.b, new.a, new.b]
        #expect(values == [2, 1, 20, 10])
        #expect(try store.count(of: Pairs.Exchanged.self, where: #Predicate { $0.a == 2 }) == 1)
        #expect(try store.count(of: Pairs.Exchanged.self, where: #Predicate { $0.a == 1 }) == 0)
        #expect(try await store.check().isSound)
        // A program without `was:` may be the first one as well as a later one.
        #expect(throws: StoreError.self) { try bench.open([Pairs.First.self]) }
    }

    @Test func aRenameMayTakeTheNameOfARemovedField() throws {
        let row = try save(Pairs.First.self) { ($0.a, $0.b) = (1, 2) }
        let store = try bench.open([Pairs.Taken.self])
        #expect(try store.object(Pairs.Taken.self, rowID: row)?.a == 2)
        #expect(try store.metadata(of: Pairs.Taken.self).unclaimedFields == ["a"])
    }

    @Test func whatCannotBeDecidedIsRefused() throws {
        try save(Titles.First.self) { $0.title = "one" }
        #expect {
            try bench.open([Titles.Both.self])
        } throws: { error in
            guard case .unclearFields("Tune", let fields, _) = error as? StoreError else {
                return false
            }
            return fields == ["name", "heading"]
        }
        try save(Titles.Second.self) { $0.name = "two" }
        // It may be the first program, or one that has dropped the name.
        #expect(throws: StoreError.self) { try bench.open([Titles.First.self]) }
        let store = try bench.open([Titles.Dropped.self])
        #expect(try store.objects(of: Titles.Dropped.self).map(\.title).sorted() == ["", "new"])
        #expect(try store.metadata(of: Titles.Dropped.self).unclaimedFields == ["name"])
    }

    @Test func programsWithoutTheClassFollowTheFieldsToo() throws {
        let first = try save(Titles.First.self) { $0.title = "one" }
        let second = try save(Titles.Second.self) { ($0.name, $0.title) = ("two", "new") }
        #expect(try bench.decode("Tune", first)["name"] == .text("one"))
        #expect(try bench.decode("Tune", first)["title"] == nil)
        #expect(try bench.decode("Tune", second)["title"] == .text("new"))
        let layout = try #require(try StoreSchema(bench.backend)["Tune"]?.layouts.first)
        #expect(layout.fields?.map(\.name) == ["name"])
        #expect(layout.fields?.map(\.writtenName) == ["title"])
        let old = try save(Pairs.First.self) { $0.a = 5 }
        let taken = try save(Pairs.Taken.self) { $0.a = 6 }
        #expect(try bench.decode("Pair", taken)["a"] == .integer(6))
        let decoded = try bench.decode("Pair", old)
        #expect(decoded.fields?.map(\.name) == ["a of layout 1", "a"])
    }

    @Test func documentsAreReadByTheSameRule() throws {
        func imported<Object: StoredObject>(_ type: Object.Type, _ fields: String) throws -> Object
        {
            let text =
                #"{"format":"cabinet-export","version":1,"objects":[{"class":"Tune","row":1,"#
                + #""fields":\#(fields)}]}"#
            let store = try Store(inMemory: [type])
            try store.json.import(Data(text.utf8))
            return try #require(try store.objects(of: type).first)
        }
        let old = try imported(Titles.Second.self, #"{"title":"one"}"#)
        #expect(old.name == "one" && old.title == "new")
        let new = try imported(Titles.Second.self, #"{"title":"one","name":"two"}"#)
        #expect(new.name == "two" && new.title == "one")
        #expect(try imported(Titles.Skipping.self, #"{"title":"one"}"#).heading == "one")
    }

    /// It would begin anew beside the records.
    @Test func aProgramThatKnowsOnlyAFormerNameOfAClassIsRefused() throws {
        try save(Names.Song.self) { $0.title = "one" }
        try save(Names.Track.self) { $0.title = "two" }
        let renamed = StoreError.renamedClass("Song", now: "Track")
        #expect(throws: renamed) { try bench.open([Names.Song.self]) }
        #expect(try bench.open([Names.Track.self]).count(of: Names.Track.self) == 2)
        // One that knows both has a new class of the old name.
        let both = try bench.open([Names.Track.self, Names.Song.self])
        both.insert(Names.Song())
        try both.save()
        #expect(try bench.open([Names.Track.self]).count(of: Names.Track.self) == 2)
        #expect(try bench.open([Names.Song.self]).count(of: Names.Song.self) == 1)
    }

    /// Of two programs that know a class without records by two names, the second to save is told.
    @Test(arguments: [true, false])
    func aClassThatAnotherProgramBeginsByAnotherNameIsNotBegunBesideIt(olderFirst: Bool) throws {
        let backend = MemoryBackend()
        let older = try StoreContainer(backend: backend, classes: [Names.Song.self]).makeStore()
        let newer = try StoreContainer(backend: backend, classes: [Names.Track.self]).makeStore()
        older.insert(Names.Song())
        newer.insert(Names.Track())
        try (olderFirst ? older : newer).save()
        let second = olderFirst ? newer : older
        let name = olderFirst ? "Track" : "Song"
        #expect(throws: StoreError.outdated(class: name)) { try second.save() }
        second.rollback()
        let again = try StoreContainer(backend: backend, classes: [Names.Track.self]).makeStore()
        #expect(try again.count(of: Names.Track.self) == 1)
    }

    @Test func everyFormerNameOfAClassIsKnown() throws {
        try save(Names.Piece.self) { $0.title = "one" }
        #expect(throws: StoreError.renamedClass("Song", now: "Piece")) {
            try bench.open([Names.Song.self])
        }
        #expect(throws: StoreError.renamedClass("Track", now: "Piece")) {
            try bench.open([Names.Track.self])
        }
        #expect(try bench.open([Names.Piece.self]).count(of: Names.Piece.self) == 1)
    }
}
