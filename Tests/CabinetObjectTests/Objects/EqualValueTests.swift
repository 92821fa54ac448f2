import Cabinet
import CabinetBackend
import CabinetMemory
import Foundation
import Observation
import Testing

@testable import CabinetTestModel

/// Assigning what is there already marked the object and made a step of undo.
struct EqualValueTests {
    /// One whose `==` overlooks what is stored.
    struct Tagged: Codable, Equatable {
        var id = 1
        var note = ""
        static func == (one: Tagged, other: Tagged) -> Bool { one.id == other.id }
    }
    struct Opaque: Codable { var number = 0 }
    final class Config: Codable, Equatable {
        var size = 0
        static func == (one: Config, other: Config) -> Bool { one.size == other.size }
    }

    final class Item: StoredObject {
        @Field var tagged = Tagged()
        @Field var tags: [Tagged] = []
        @Field var opaque = Opaque()
        @Field var texts: [String] = []
        @Field var words: Set<String> = []
        @Field var levels: [String: Double] = [:]
        @Field var config = Config()
        @Field var configs: [Config?] = []
        @One var next: Item?
        @Many var others: [Item]
    }

    let store: Store
    let all = Everything()
    let item = Item()

    init() throws {
        let backend = MemoryBackend()
        store = try Store(backend: backend, classes: [Everything.self, Item.self])
        all.fill()
        item.next = Item()
        store.insert(all)
        store.insert(item)
        try store.save()
        store.undoHistory.isEnabled = true
    }

    func assignAll() {
        func again<Value>(_ place: ReferenceWritableKeyPath<Everything, Value>) {
            all[keyPath: place] = all[keyPath: place]
            #expect(!all.isChanged, "\(place)")
        }
        again(\.bool)
        again(\.int8)
        again(\.uint64)
        again(\.int)
        again(\.float)
        again(\.double)
        again(\.text)
        again(\.data)
        again(\.date)
        again(\.uuid)
        again(\.url)
        again(\.decimal)
        again(\.genre)
        again(\.mood)
        again(\.moods)
        again(\.price)
        again(\.prices)
        again(\.place)
        again(\.birthplace)
        again(\.places)
        again(\.numbers)
        again(\.tags)
        again(\.counts)
    }

    @Test func theValueThatIsThereIsNoChange() throws {
        let listener = Listener()
        store.delegate = listener
        assignAll()
        all.int = all.int
        all.text = "Ääkköset and a text that is longer than " + "fifteen bytes"
        all.place = Place(city: "Turku", code: 20100)
        all.tags = Set(["b", "a"])
        all.counts = ["y": [], "x": [1, 2]]
        #expect(!all.isChanged && !store.hasChanges && !store.undoHistory.canUndo)
        #expect(listener.calls == [])
        // Of an object that has changed already, it is no step either.
        all.int = 7
        try store.undoHistory.undo()
        #expect(all.int == .min)
        assignedWhileChanged()
        #expect(!store.undoHistory.canUndo && store.undoHistory.canRedo)
    }

    func assignedWhileChanged() {
        all.int = .min
        all.genre = .soul
        all.birthplace = Place(city: "Oulu")
    }

    /// The bytes of both are the same but for their order.
    @Test func valuesThatChangePlacesInADictionaryAreAChange() throws {
        item.levels = ["left": 0.0, "right": -0.0]
        try store.save()
        item.levels = ["right": -0.0, "left": 0.0]
        #expect(!item.isChanged)
        item.levels = ["left": -0.0, "right": 0.0]
        #expect(item.isChanged)
    }

    /// An instance that was changed since is equal to itself.
    @Test func anInstanceOfAClassIsAlwaysAChange() throws {
        let config = item.config
        config.size = 5
        item.config = config
        #expect(item.isChanged)
        try store.save()
        item.configs = [config, nil]
        try store.save()
        config.size = 6
        item.configs = item.configs
        #expect(item.isChanged)
    }

    @Test func aFaultIsReadAndStaysUnchanged() throws {
        let backend = store.backend
        let again = try Store(backend: backend, classes: [Everything.self, Item.self])
        let item = try #require(try again.object(Item.self, rowID: item.rowID))
        let next = try #require(item.next)
        #expect(next.isFault)
        next.opaque.number = 0
        #expect(next.isChanged, "in place")
        try again.rollback(next)
        #expect(next.isFault)
        next.texts = []
        next.next = nil
        #expect(!next.isFault && !next.isChanged && !again.hasChanges)
        next.texts = ["x"]
        #expect(next.isChanged)
    }

    @Test func otherValuesAreChanges() throws {
        func changes(_ what: Comment, _ body: () -> Void) {
            body()
            #expect(store.undoHistory.canUndo, what)
            store.rollback()
            store.undoHistory.removeAll()
        }
        changes("a bit") { all.int8 = -7 }
        changes("nil") { all.birthplace = nil }
        changes("a value") { all.place.code = 1 }
        changes("an element") { all.numbers = [1, nil, -4] }
        changes("a key") { all.counts = ["x": [1, 2], "z": []] }
        changes("negative zero") { item.opaque = Opaque() }
        changes("what == overlooks") { item.tagged = Tagged(id: 1, note: "new") }
        changes("a member of what == overlooks") { item.tags = [Tagged()] }
        changes("an edit in place") { all.int += 0 }
        #expect(item.tagged.note == "")
        item.tagged = Tagged(id: 1, note: "kept")
        try store.save()
        let again = try Store(backend: store.backend, classes: [Everything.self, Item.self])
        #expect(try again.object(Item.self, rowID: item.rowID)?.tagged.note == "kept")
    }

    /// They are equal by `==`, and others in a record.
    @Test func whatIsStoredOtherwiseIsAnotherValue() throws {
        all.double = 0.0
        item.texts = ["\u{E9}"]
        item.words = ["\u{E9}"]
        all.text = "\u{212B}"
        try store.save()
        all.double = -0.0
        #expect(all.isChanged && all.double.sign == .minus)
        item.texts = ["e\u{301}"]
        #expect(item.isChanged && item.texts[0].utf8.count == 3)
        try store.save()
        item.words = ["e\u{301}"]
        #expect(item.isChanged)
        all.text = "A\u{30A}"
        #expect(all.isChanged && all.text.unicodeScalars.count == 2)
    }

    @Test func theSameObjectIsNoChange() throws {
        let next = item.next
        item.next = next
        next?.next = nil
        #expect(!store.hasChanges && !store.undoHistory.canUndo)
        item.next = item
        #expect(item.isChanged)
        try store.undoHistory.undo()
        #expect(item.next === next)
    }

    /// The other side may be about to change what stands there.
    @Test func anEditOfTheOtherSideCountsFirst() throws {
        let store = try Store(inMemory: tunes)
        let (disc, tune) = (Disc(), Tune("t"))
        store.insert(disc)
        store.insert(tune)
        try store.save()
        disc.tracks.append(tune)
        tune.album = nil
        #expect(tune.album == nil && disc.tracks.isEmpty)
        disc.tracks = [tune]
        try store.save()
        disc.tracks = []
        tune.album = disc
        #expect(tune.album === disc && isSame(disc.tracks, [tune]))
    }

    @Test func observersHearOfChangesOnly() throws {
        store.isObserved = true
        func isCalled(_ body: () -> Void) -> Bool {
            let wasCalled = Guarded(false)
            withObservationTracking {
                _ = all.int
            } onChange: {
                wasCalled.withLock { $0 = true }
            }
            body()
            return wasCalled.withLock { $0 }
        }
        #expect(!isCalled { all.int = all.int })
        #expect(isCalled { all.int = 1 })
        #expect(!isCalled { all.int = 1 })
        #expect(isCalled { all.int += 0 })
    }
}
