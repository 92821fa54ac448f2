import CabinetMemory
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Adds to what every object writes.
private final class Signed: StoredObject {
    @Field var text = ""
    @One var next: Signed?
    private enum Key: CodingKey { case signature }

    override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("signed \(text)", forKey: .signature)
    }
}

private final class OwnID: StoredObject {
    @Field var objectID = "own"
}

/// What `JSONEncoder` makes of an object.
struct EncodingTests {
    let backend = MemoryBackend()

    private func encode(
        _ object: StoredObject, depth: Int? = nil,
        _ prepare: (JSONEncoder) -> Void = { _ in }
    ) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if let depth { encoder.userInfo[.relationshipDepth] = depth }
        prepare(encoder)
        return String(decoding: try encoder.encode(object), as: UTF8.self)
    }

    @Test func aPlainObjectWritesItsFieldsByName() throws {
        let track = Track("Echoes", seconds: 1411)
        #expect(try encode(track) == #"{"seconds":1411,"title":"Echoes"}"#)
        track.released = Date(timeIntervalSinceReferenceDate: 0)
        #expect(
            try encode(track) { $0.dateEncodingStrategy = .iso8601 }
                == #"{"released":"2001-01-01T00:00:00Z","seconds":1411,"title":"Echoes"}"#)
    }

    @Test func aStoredObjectIsReadAndWritesItsID() throws {
        let first = try Store(backend: backend, classes: [Track.self])
        first.insert(Track("Echoes"))
        try first.save()
        let store = try Store(backend: backend, classes: [Track.self])
        let track = try #require(try store.objects(of: Track.self).first)
        let id = try #require(track.objectID)
        #expect(
            try encode(track) == #"{"objectID":"\#(id)","seconds":0,"title":"Echoes"}"#)
    }

    @Test func aFieldNamedObjectIDIsWrittenInItsPlace() throws {
        let store = try Store(backend: backend, classes: [OwnID.self])
        let object = OwnID()
        store.insert(object)
        try store.save()
        #expect(try encode(object) == #"{"objectID":"own"}"#)
    }

    @Test func everyKindOfFieldIsWritten() throws {
        let everything = Everything()
        everything.fill()
        let written = try #require(
            try JSONSerialization.jsonObject(with: try JSONEncoder().encode(everything))
                as? [String: Any])
        func value<Value: Equatable>(_ name: String, _ type: Value.Type = Value.self) -> Value? {
            written[name] as? Value
        }
        #expect(value("bool") == true && value("int8") == -8 && value("int") == Int.min)
        #expect(value("uint64") == UInt64.max && value("float") == 1.5 && value("double") == -0.1)
        #expect(value("text") == everything.text && value("data") == "AAH/")
        #expect(value("date") == 1234.5 && value("uuid") == everything.uuid?.uuidString)
        #expect(value("url") == "https://example.org/a?b=c" && value("decimal") == -12.345)
        // By raw value, whether they are Codable or not.
        #expect(value("genre") == "soul" && value("mood") == 2 && value("moods") == 2)
        // A form of its own that is not Encodable: its bytes.
        #expect(
            value("price")
                == Data([0x9D] + [UInt8](repeating: 0xFF, count: 7)).base64EncodedString())
        #expect(value("place") == ["city": "Turku", "code": 20100] as NSDictionary)
        #expect(value("birthplace") == ["city": "Oulu"] as NSDictionary)
        #expect((written["places"] as? [Any])?.count == 2)
        #expect(value("numbers") == [1, NSNull(), -3] as NSArray)
        #expect(value("tags", [String].self)?.sorted() == ["a", "b"])
        #expect(value("counts") == ["x": [1, 2], "y": []] as NSDictionary)

        let sampler = Sampler()
        sampler.uint128 = .max
        sampler.int128 = -5
        sampler.byKey = [.major: 3]
        sampler.named = ["a": .minor]
        let sampled = try #require(
            try JSONSerialization.jsonObject(with: try JSONEncoder().encode(sampler))
                as? [String: Any])
        #expect(sampled["uint128"] as? String == "\(UInt128.max)")
        #expect(sampled["int128"] as? Int == -5)
        #expect(sampled["byKey"] as? NSDictionary == ["major": 3])
        #expect(sampled["named"] as? NSDictionary == ["a": "minor"])
    }

    @Test func relationshipsAreIDsOrObjectsToADepth() throws {
        let store = try Store(backend: backend, classes: tunes)
        let (disc, tune) = (Disc(), Tune("a"))
        disc.title = "disc"
        disc.tracks = [tune, Tune("b")]
        store.insert(disc)
        try store.save()
        let ids =
            try ["\(#require(disc.objectID))"] + disc.tracks.map { "\(try #require($0.objectID))" }
        #expect(
            try encode(disc)
                == #"{"objectID":"\#(ids[0])","title":"disc","tracks":["\#(ids[1])","\#(ids[2])"]}"#
        )
        // The disc is being written, so it is its ID there.
        func track(_ index: Int, _ title: String) -> String {
            #"{"album":"\#(ids[0])","lists":[],"objectID":"\#(ids[index])","title":"\#(title)"}"#
        }
        for depth in [1, 2, 50, .max] {
            #expect(
                try encode(disc, depth: depth)
                    == #"{"objectID":"\#(ids[0])","title":"disc","tracks":[\#(track(1, "a")),\#(track(2, "b"))]}"#
            )
        }
        // From the other side, the sibling stands within the disc.
        #expect(try encode(tune, depth: 1).contains(#""tracks":["\#(ids[1])","\#(ids[2])"]"#))
        #expect(try encode(tune, depth: 2).contains(track(2, "b")))
        #expect(try encode(disc, depth: -1) == encode(disc))
    }

    @Test func keysOfAnotherStyleEndCyclesToo() throws {
        let store = try Store(backend: backend, classes: tunes)
        let disc = Disc()
        disc.tracks = [Tune("a"), Tune("b")]
        store.insert(disc)
        try store.save()
        let written = try encode(disc, depth: 60) { $0.keyEncodingStrategy = .convertToSnakeCase }
        #expect(written.contains("object_id"))
        #expect(written.count < 500)
        let list = PropertyListEncoder()
        list.userInfo[.relationshipDepth] = 60
        #expect(try list.encode(disc).count < 2000)
    }

    @Test func objectsThatWereNeverSavedAreNull() throws {
        let disc = Disc()
        disc.title = "disc"
        disc.tracks = [Tune("a")]
        #expect(try encode(disc) == #"{"title":"disc","tracks":[null]}"#)
        #expect(
            try encode(disc, depth: 3)
                == #"{"title":"disc","tracks":[{"album":null,"lists":[],"title":"a"}]}"#)
    }

    @Test func aChainIsWrittenNoDeeperThanTheLimit() throws {
        var last = Chapter()
        for _ in 0..<200 {
            let chapter = Chapter()
            chapter.next = last
            last = chapter
        }
        let written = try encode(last, depth: .max)
        #expect(written.components(separatedBy: "title").count - 1 == 65)
    }

    @Test func anOverrideIsAskedWhereverTheObjectStands() throws {
        let (one, other) = (Signed(), Signed())
        (one.text, other.text) = ("a", "b")
        (one.next, other.next) = (other, one)
        #expect(
            try encode(one, depth: 5)
                == #"{"next":{"next":null,"signature":"signed b","text":"b"},"signature":"signed a","text":"a"}"#
        )
    }

    @Test func aHandWrittenClassWritesItsID() throws {
        let store = try Store(backend: backend, classes: [Song.self])
        let song = Song("By hand")
        store.insert(song)
        #expect(try encode(song) == "{}")
        try store.save()
        #expect(try encode(song) == #"{"objectID":"\#(try #require(song.objectID))"}"#)
    }

    @Test func anObjectThatCannotBeReadSaysWhy() throws {
        let first = try Store(backend: backend, classes: [Track.self])
        first.insert(Track("Echoes"))
        try first.save()
        try backend.put([1, 200], at: 2, of: "Track")
        let store = try Store(backend: backend, classes: [Track.self, Disc.self, Tune.self])
        let storedClass = try #require(store.storedClass(of: Track.self))
        let track = storedClass.object(at: 2)
        #expect(throws: StoreError.self) { try encode(track) }
    }
}
