import CabinetBackend
import Foundation
import Testing

@testable import Cabinet

/// Indexes that are added and removed while stores are open, and such whose definition changes.
@Suite("Indexes: registering", .serialized)
struct IndexRegistrationTests {
    private func index(_ name: String, in store: Store) throws -> ClassIndex? {
        try store.indexKeeper?.indexes(of: store.registered(OlderSong.self))?[name]
    }

    private func expectAgreement(_ store: Store, _ names: Set<String>) throws {
        let contents = try store.indexContents(of: OlderSong.self)
        #expect(Set(contents.keys) == names)
        for (name, content) in contents { #expect(content.found == content.expected, "\(name)") }
    }

    @Test("an index can be registered while stores are open", arguments: IndexScene.Engine.allCases)
    func registering(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine, chunkLimit: 70)
        try scene.fill(500)
        let (first, second) = (try scene.open(IndexScene.older), try scene.open(IndexScene.older))
        let songs = try second.objects(of: OlderSong.self)
        try first.indexes.register(.ordered(\OlderSong.year))
        try first.indexes.register(.ordered(\OlderSong.year))
        for number in 0..<20 {
            songs[number].year = 3_000 + number
            try second.save()
        }
        try first.indexes.build()
        #expect(try index("year", in: first)?.isComplete == true)
        try expectAgreement(first, ["year"])
        // The store that it was not registered in keeps it.
        songs[30].year = 4_000
        try second.delete(songs[31])
        second.insert(OlderSong())
        try second.save()
        #expect(try index("year", in: second)?.isComplete == true)
        try first.refresh()
        try expectAgreement(first, ["year"])
        #expect(throws: StoreError.self) {
            try first.indexes.register(.ordered(\OlderSong.title, named: "year"))
        }
    }

    /// There was a declaration for each number of properties up to four.
    @Test("an index may have any number of properties")
    func severalProperties() throws {
        let store = try Store(inMemory: [WideKey.self])
        for number in (1...400).reversed() { store.insert(WideKey(number)) }
        try store.save()
        let query = store.query(WideKey.self)
            .filter(#Predicate { $0.first == 1 && $0.second == 2 })
            .sorted(by: .ascending(\.third), .ascending(\.fourth), .ascending(\.fifth)).limit(2)
        #expect(try query.objects().map(\.fifth) == [1, 2])
        #expect("\(try query.explain())".contains("first.second.third.fourth.fifth"))
        let same = WideKey(1)
        store.insert(same)
        #expect(throws: StoreError.self) { try store.save() }
        same.fifth = 500
        try store.save()
        #expect(try store.indexFindings().isEmpty)
    }

    /// The second one was dropped in silence, and each store kept its own.
    @Test(
        "of two indexes of one name that two stores register, the second is refused",
        arguments: IndexScene.Engine.allCases)
    func registeringTwice(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine)
        try scene.fill(200)
        let (first, second) = (try scene.open(IndexScene.older), try scene.open(IndexScene.older))
        try first.indexes.register(.ordered(\OlderSong.year, named: "x"))
        #expect(throws: StoreError.self) {
            try second.indexes.register(.ordered(\OlderSong.title, named: "x"))
        }
        #expect(throws: StoreError.self) {
            try second.indexes.register(.ordered(\OlderSong.title, named: "X"))
        }
        try second.indexes.register(.ordered(\OlderSong.year, named: "x"))
        try second.indexes.build()
        try first.refresh()
        for store in [first, second] { try expectAgreement(store, ["x"]) }
    }

    @Test(
        "an index that was unregistered is gone from the disk",
        arguments: IndexScene.Engine.allCases)
    func unregistering(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine)
        try scene.fill(300)
        let (first, second) = (try scene.open(IndexScene.older), try scene.open(IndexScene.older))
        try first.indexes.register(.ordered(\OlderSong.year))
        try first.indexes.register(.ordered(\OlderSong.title))
        try first.indexes.build()
        try second.refresh()
        let song = try #require(try second.objects(of: OlderSong.self).first)
        song.year = 1
        try first.indexes.unregister(named: "year", of: OlderSong.self)
        try second.save()
        #expect(try index("year", in: second) == nil)
        #expect(
            try !scene.backend.tables().contains { $0.name.hasPrefix("Index.IndexedSong.year") })
        try first.refresh()
        try expectAgreement(first, ["title"])
        #expect(throws: StoreError.self) {
            try first.indexes.unregister(named: "year", of: OlderSong.self)
        }
        try second.indexes.register(.ordered(\OlderSong.year))
        try second.indexes.build()
        song.year = 2
        try second.save()
        try first.refresh()
        try expectAgreement(second, ["title", "year"])
        let third = try scene.open(IndexScene.older)
        #expect(try index("year", in: third)?.isComplete == true)
    }

    @Test("an index whose definition changes is made anew", arguments: IndexScene.Engine.allCases)
    func changedDefinitions(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine)
        try scene.fill(300)
        let versions: [Index] = [
            .ordered(\OlderSong.year, named: "x"),
            .ordered(\OlderSong.year, named: "x", version: 2, where: { $0.year > 1_980 }),
            .ordered(\OlderSong.title, named: "x"),
            .ordered(\OlderSong.title, collation: .numeric, named: "x"),
            .unique(\OlderSong.isrc, named: "x"),
            .elements(of: \OlderSong.tags, named: "x"),
            .computed(named: "x") { (song: OlderSong) in song.year / 10 },
            .computed(named: "x", version: 2) { (song: OlderSong) in song.year / 20 },
        ]
        for version in versions + versions {
            let store = try scene.open(IndexScene.older)
            try store.indexes.register(version)
            try store.indexes.build()
            #expect(try index("x", in: store)?.isComplete == true)
            try expectAgreement(store, ["x"])
            #expect(try scene.backend.tables().filter { $0.kind == .ordered }.count == 1)
            try store.close()
            try scene.reopen()
            if engine == .memory { break }
        }
    }

    @Test("programs with different definitions of one index leave each other's behind")
    func differing() throws {
        let scene = try IndexScene(.files)
        try scene.fill(200)
        let indexes: [Index] = [
            .ordered(\OlderSong.year, named: "x"),
            .ordered(\OlderSong.year, named: "x", version: 2, where: { $0.year > 1_980 }),
        ]
        for round in 0..<6 {
            let store = try scene.open(IndexScene.older)
            try store.indexes.register(indexes[round % 2])
            // Before it is built: the save must not pass for one that has kept the other index.
            store.indexes.progress?.cancel()
            let song = OlderSong()
            song.year = 1_990 + round
            store.insert(song)
            try store.save()
            try? store.indexes.build()
            if round > 3 {
                try store.indexes.build()
                try expectAgreement(store, ["x"])
            }
            try store.close()
            try scene.reopen()
        }
    }

    @Test("a collation that has changed is noticed, or followed")
    func changedCollations() throws {
        let scene = try IndexScene(.files)
        try scene.fill(100)
        let before = Collation(name: "own", version: 1) { Array($0.utf8) }
        let after = Collation(name: "own", version: 1) { Array($0.utf8.reversed()) }
        let raised = Collation(name: "own", version: 2) { Array($0.utf8.reversed()) }
        func open(_ collation: Collation, follows: Bool = false) throws -> Store {
            CollatedSong.collation.withLock { $0 = (collation, follows) }
            return try scene.open([CollatedSong.self])
        }
        var store = try open(before)
        try store.indexes.build()
        try store.close()
        #expect(throws: StoreError.self) { try open(after) }
        for (collation, follows) in [(after, true), (before, true), (raised, false)] {
            store = try open(collation, follows: follows)
            try store.indexes.build()
            let contents = try store.indexContents(of: CollatedSong.self)
            #expect(contents["title"].map { $0.found == $0.expected } == true)
            let indexes = try store.indexKeeper?.indexes(of: store.registered(CollatedSong.self))
            #expect(indexes?["title"]?.isComplete == true)
            try store.close()
            try scene.reopen()
        }
    }
}

/// A song whose index has a collation that tests choose.
private final class CollatedSong: StoredObject {
    static let collation = Guarded<(Collation, Bool)>((.unicode, false))

    @Field var title = ""
    @Field var artist = ""
    @Field var year = 0
    @Field var isrc: String?
    @Field var rating = 0
    @Field var tags: [String] = []

    override class var storageName: String { "IndexedSong" }
    override class var indexes: [Index] {
        let (collation, follows) = collation.withLock { $0 }
        let index = Index.ordered(\CollatedSong.title, collation: collation, named: "title")
        return [follows ? index.followingCollations() : index]
    }
}

private final class WideKey: StoredObject {
    @Field var first = 1
    @Field var second = 2
    @Field var third = 3
    @Field var fourth = 4
    @Field var fifth = 0

    convenience init(_ fifth: Int) {
        self.init()
        self.fifth = fifth
    }

    override class var indexes: [Index] {
        [.unique(\WideKey.first, \.second, \.third, \.fourth, \.fifth)]
    }
}
