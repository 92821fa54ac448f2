import CabinetMemory
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

struct RecordDecoderTests {
    let bench = SchemaBench()

    func everything() throws {
        let store = try bench.open([Everything.self])
        let object = Everything()
        object.fill()
        store.insert(object)
        try store.save()
    }

    @Test func everyKindOfFieldIsReadFromTheCatalogAlone() throws {
        try everything()
        let record = try bench.decode("Everything", 2)
        #expect(record.layout == 1 && record.version == 1 && record.surplusBytes == 0)
        let expected: [(String, FieldValue)] = [
            ("bool", .bool(true)), ("int8", .integer(-8)), ("uint64", .integer(Int128(UInt64.max))),
            ("int", .integer(Int128(Int64.min))), ("float", .float(1.5)), ("double", .double(-0.1)),
            ("text", .text("Ääkköset and a text that is longer than fifteen bytes")),
            ("data", .bytes(Data([0, 1, 255]))),
            ("date", .date(Date(timeIntervalSinceReferenceDate: 1234.5))),
            ("uuid", .uuid(try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")))),
            ("url", .url(try #require(URL(string: "https://example.org/a?b=c")))),
            ("decimal", .decimal(try #require(Decimal(string: "-12.345")))),
            ("genre", .text("soul")), ("mood", .integer(2)), ("moods", .integer(2)),
            ("price", .custom(type: "Money", Data([157, 255, 255, 255, 255, 255, 255, 255]))),
            (
                "place",
                .codable(
                    type: "Place",
                    .dictionary([
                        .init(key: .text("city"), value: .text("Turku")),
                        .init(key: .text("code"), value: .integer(20100)),
                    ]))
            ),
            ("numbers", .list([.integer(1), .none, .integer(-3)])),
        ]
        for (name, value) in expected { #expect(record[name] == value, "\(name)") }
        guard case .list(let tags) = record["tags"], case .dictionary(let counts) = record["counts"]
        else {
            Issue.record("no collections")
            return
        }
        #expect(Set(tags) == [.text("a"), .text("b")])
        #expect(
            Set(counts) == [
                .init(key: .text("x"), value: .list([.integer(1), .integer(2)])),
                .init(key: .text("y"), value: .list([])),
            ])
        #expect(record.fields?.count == 23)
    }

    @Test func referencesNameTheirClass() throws {
        let store = try bench.open(tunes)
        let (tune, list) = (Tune("One"), TuneList())
        list.tunes = [tune, tune]
        for object in [tune, list] { store.insert(object) }
        try store.save()
        let schema = try StoreSchema(bench.backend)
        let reference = FieldValue.Reference(
            className: "Tune", classNumber: schema["Tune"]?.number, row: tune.rowID)
        #expect(
            try bench.decode("TuneList", list.rowID)["tunes"]
                == .references([reference, reference]))
        #expect(try bench.decode("Tune", tune.rowID)["album"] == FieldValue.none)
    }

    @Test func referencesOfAnyClassNameTheirs() throws {
        let store = try bench.open([Second.Item.self])
        let (parent, child) = (Second.Item(), Second.Item())
        child.parent = parent
        for object in [parent, child] { store.insert(object) }
        try store.save()
        #expect(
            try bench.decode("Item", child.rowID)["parent"]
                == .reference(.init(className: "Item", classNumber: 0, row: parent.rowID)))
    }

    @Test func recordsOfEveryLayoutAndOfNewerVersionsAreRead() throws {
        let first = try bench.open([First.Item.self])
        let item = First.Item()
        item.name = "old"
        first.insert(item)
        first.insert(First.Item())
        try first.save()
        let newer = try bench.open([Fifth.Item.self])
        let other = try #require(try newer.object(Fifth.Item.self, rowID: 3))
        other.price = 7
        try newer.save()
        #expect(try bench.decode("Item", 2)["name"] == .text("old"))
        let record = try bench.decode("Item", 3)
        #expect(record.version == 2 && record.layout == 2 && record.fields?.count == 1)
        #expect(record["price"] == .integer(7))
    }

    @Test func whatFollowsTheLastFieldIsCounted() throws {
        try everything()
        let bytes = try bench.record("Everything", 2) + [1, 2, 3]
        let record = try bench.decode(bytes, 2, "Everything", try bench.decoder())
        #expect(record.surplusBytes == 3 && record.fields?.count == 23)
    }

    // MARK: Bad bytes

    @Test func everyCutAndEveryChangedByteIsContentOrATypedError() throws {
        try everything()
        let bytes = try bench.record("Everything", 2)
        let decoder = try bench.decoder()
        for length in bytes.indices {
            #expect(throws: StoreError.self, "\(length)") {
                try bench.decode(Array(bytes[..<length]), 2, "Everything", decoder)
            }
        }
        var outcomes: [Bool: Int] = [:]
        for place in bytes.indices {
            for change: UInt8 in [1, 0x80, 0xFF] {
                var bytes = bytes
                bytes[place] ^= change
                do {
                    _ = try bench.decode(bytes, 2, "Everything", decoder)
                    outcomes[true, default: 0] += 1
                } catch is StoreError {
                    outcomes[false, default: 0] += 1
                }
            }
        }
        #expect(outcomes[true] ?? 0 > 0 && outcomes[false] ?? 0 > 0)
    }

    @Test func mutatedRecordsNeverCrash() throws {
        try everything()
        let bytes = try bench.record("Everything", 2)
        let decoder = try bench.decoder()
        var random = SeededRandom(seed: 20_261_121)
        for _ in 0..<4_000 {
            var mutant = bytes
            for _ in 0...Int(random.next() % 4) {
                let place = Int(random.next() % UInt64(mutant.count))
                switch random.next() % 4 {
                case 0: mutant[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: mutant.remove(at: place)
                case 2: mutant.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
                default: mutant[place] = [0, 1, 0x7F, 0xFF][Int(random.next() % 4)]
                }
            }
            do { _ = try bench.decode(mutant, 2, "Everything", decoder) } catch is StoreError {}
        }
    }

    @Test func mutatedLayoutsNeverCrash() throws {
        try everything()
        let entry = try #require(try bench.entry("layout/0/1"))
        let bytes = try bench.record("Everything", 2)
        var random = SeededRandom(seed: 4)
        let letters = Array("[]<>?:,0123456789ManySetOnCodble \u{0}\u{1}\u{2}".utf8)
        var read = 0
        for _ in 0..<1_500 {
            var mutant = entry
            for _ in 0...Int(random.next() % 3) {
                let place = Int(random.next() % UInt64(mutant.count))
                mutant[place] = letters[Int(random.next() % UInt64(letters.count))]
            }
            try bench.setEntry("layout/0/1", mutant)
            do {
                _ = try bench.decode(bytes, 2, "Everything", try bench.decoder())
                read += 1
            } catch is StoreError {}
        }
        #expect(read > 0)
    }

    @Test(arguments: ["[", "Set<", "[[String: ", "Int?", "[Int: [Int: "])
    func typesThatAreNestedWithoutEndAreRefused(_ text: String) {
        let deep = String(repeating: text, count: 200_000)
        #expect(FieldType(text: deep) == nil)
        #expect(FieldType(text: "Int" + String(repeating: "?", count: 200_000)) == nil)
    }

    @Test func typesAreNestedAsDeepAsIsAllowed() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth - 1) + "Int"
                + String(repeating: "]", count: depth - 1)
        }
        let limit = FieldType.depthLimit
        #expect(FieldType(text: nested(limit))?.depth == limit)
        #expect(FieldType(text: nested(limit + 1)) == nil)
    }
}
