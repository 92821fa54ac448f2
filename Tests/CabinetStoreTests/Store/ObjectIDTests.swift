import Cabinet
import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing

@testable import CabinetTestModel

struct ObjectIDTests {
    let bench = SchemaBench()

    func open() throws -> Store { try bench.open(tunes) }

    func filled(_ count: Int) throws -> (Store, [Tune]) {
        let store = try open()
        let made = (0..<count).map { Tune("\($0)") }
        made.forEach(store.insert)
        try store.save()
        return (store, made)
    }

    @Test func anIDComesWithTheFirstSaveAndGoesWithTheRecord() throws {
        let store = try open()
        let tune = Tune("Echoes")
        #expect(tune.objectID == nil)
        store.insert(tune)
        #expect(tune.rowID != 0)
        #expect(tune.objectID == nil)
        try store.save()
        let id = try #require(tune.objectID)
        #expect(id.rowID == tune.rowID)
        #expect(id.store == bench.backend.identity)
        tune.title = "Time"
        #expect(tune.objectID == id)
        #expect(try store.object(id) === tune)
        try store.delete(tune)
        #expect(tune.objectID == id)
        #expect(try store.object(id) == nil)
        store.rollback()
        #expect(try store.object(id) === tune)
        try store.delete(tune)
        try store.save()
        #expect(tune.objectID == nil)
        #expect(try store.object(id) == nil)
        store.insert(tune)
        #expect(tune.objectID == nil)
        try store.save()
        #expect(tune.objectID == id)
    }

    @Test func anIDFindsItsObjectAtTheNextLaunch() throws {
        let temporary = try TemporaryStore([Tune.self, TuneList.self, Disc.self, Booklet.self])
        let tune = Tune("Echoes")
        temporary.store.insert(tune)
        try temporary.store.save()
        let id = try #require(tune.objectID)
        let kept = try JSONEncoder().encode([id])
        let store = try temporary.reopen()
        let read = try JSONDecoder().decode([ObjectID<Tune>].self, from: kept)
        #expect(read == [id])
        let found = try #require(try store.object(read[0]))
        #expect(found.title == "Echoes")
        #expect(found.objectID == id)
    }

    @Test func theTextHasTwentyEightDigitsAndOneForm() throws {
        let text = "0102030405060708000a0000002c"
        let id = try #require(ObjectID<Tune>(text))
        #expect(id.store == 0x0102_0304_0506_0708)
        #expect(id.table == 10)
        #expect(id.rowID == 44)
        #expect(id.description == text)
        #expect(try JSONEncoder().encode(id) == Data("\"\(text)\"".utf8))
        let wrong = [
            "", String(text.dropLast()), text + "0", text.uppercased(), "+" + text.dropFirst(),
            String(repeating: "é", count: 14),
        ]
        for wrong in wrong {
            #expect(ObjectID<Tune>(wrong) == nil, "\(wrong)")
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(ObjectID<Tune>.self, from: JSONEncoder().encode(wrong))
            }
        }
    }

    @Test func anIDThatLeadsElsewhereIsRefused() throws {
        let (store, made) = try filled(3)
        let id = try #require(made[0].objectID)
        let other = try Store(inMemory: tunes)
        #expect(throws: StoreError.foreignID(class: "Tune")) { _ = try other.object(id) }
        #expect(throws: StoreError.foreignID(class: "Tune")) { _ = try other.objects([id]) }
        #expect(throws: StoreError.wrongClass(expected: "Disc", found: "Tune")) {
            _ = try store.object(ObjectID<Disc>(id))
        }
        let partly = try bench.open([Node.self])
        #expect(throws: StoreError.classNotRegistered("Tune")) { _ = try partly.object(id) }
        #expect(throws: StoreError.classNotRegistered("Tune")) { _ = try partly.objects([id]) }
        #expect(try store.object(ObjectID<StoredObject>(id)) === made[0])
        try store.close()
        #expect(throws: StoreError.closed) { _ = try store.object(id) }
    }

    @Test(arguments: [1, 31])
    func manyComeInTheOrderOfTheirIDs(_ step: Int) throws {
        let (store, made) = try filled(600)
        let disc = Disc()
        store.insert(disc)
        try store.save()
        let discID = try #require(disc.objectID)
        var ids = stride(from: 599, through: 0, by: -step).compactMap { made[$0].objectID }
        ids.append(ids[0])
        let again = try open()
        for gone in try again.objects(of: Tune.self) where gone.title.hasSuffix("9") {
            try again.delete(gone)
        }
        try again.save()
        let pending = try #require(try again.object(ids[1]))
        try again.delete(pending)
        let expected = ids.filter { $0 != ids[1] }.map { made[$0.rowID.index - 2].title }
            .filter { !$0.hasSuffix("9") }
        let reader = try open()
        let missing = pending.title
        #expect(try again.objects(ids).map(\.title) == expected)
        let found = try reader.objects(ids)
        #expect(found.map(\.title).filter { $0 != missing } == expected.filter { $0 != missing })
        #expect(found.allSatisfy { !$0.isFault })
        let mixed: [ObjectID<StoredObject>] = [.init(ids[2]), .init(discID), .init(ids[2])]
        let both = try reader.objects(mixed)
        #expect(both.filter { $0 is Disc }.count == 1)
        #expect(try reader.objects([ObjectID<Tune>]()) == [])
    }

    /// Records that are wanted are read once, in one walk; a fault for each would be a warning.
    @Test func aWalkReadsManyAndCallsGoneOnesNoFailure() throws {
        let (store, made) = try filled(50)
        let ids = made.compactMap(\.objectID)
        try store.delete(made[7])
        try store.save()
        let messages = Guarded<[String]>([])
        let log = LogSink { _, message in messages.withLock { $0.append(message) } }
        let again = try Store(backend: bench.backend, classes: tunes, log: log)
        #expect(try again.objects(ids).count == 49)
        #expect(messages.withLock { $0 } == [])
    }
}
