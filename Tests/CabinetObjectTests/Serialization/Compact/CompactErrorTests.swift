import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Bytes that are no value, and values that refuse.
struct CompactErrorTests {
    typealias Point = CompactFormTests.Point

    struct Line: Codable, Equatable {
        var from = Point(x: 1)
        var via: [Point] = [Point(), Point(x: 2, name: "b")]
        var width: Float = 1
    }

    @Test func anErrorNamesWhereItIs() throws {
        struct Wide: Codable {
            struct Stop: Codable { var x = "one" }
            var via: [Stop] = []
        }
        let bytes = try CompactFormTests.bytes(Line())
        do {
            _ = try CompactFormTests.decode(bytes, as: Wide.self)
            Issue.record("decoded")
        } catch DecodingError.typeMismatch(let type, let context) {
            let isText = type is String.Type
            #expect(isText)
            #expect(context.codingPath.map(\.stringValue) == ["via", "Index 0", "x"])
            #expect(context.codingPath[1].intValue == 0)
        }
        #expect(throws: DecodingError.self) {
            try CompactFormTests.decode(try CompactFormTests.bytes(300), as: Int8.self)
        }
        #expect(throws: DecodingError.self) {
            try CompactFormTests.decode(try CompactFormTests.bytes(-1), as: UInt.self)
        }
        #expect(throws: DecodingError.self) {
            try CompactFormTests.decode(try CompactFormTests.bytes(1e300), as: Float.self)
        }
    }

    /// A type that tries one kind of value after the other has an error at each element, whatever
    /// the order in which it asks.
    @Test func anErrorNamesItsElementAfterEarlierOnes() throws {
        struct AnyValue: Decodable {
            static let paths = Guarded<[[String]]>([])
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                do { _ = try container.decode(Int.self) } catch DecodingError.typeMismatch(
                    _, let context)
                {
                    Self.paths.withLock { $0.append(context.codingPath.map(\.stringValue)) }
                }
            }
        }
        struct Shelf: Decodable {
            enum Key: String, CodingKey { case first, second }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                // Twice, from the front again, and the later container first.
                for _ in 0..<2 {
                    _ = try container.decode([AnyValue].self, forKey: .second)
                    _ = try container.decode([AnyValue].self, forKey: .first)
                }
            }
        }
        let bytes = try CompactFormTests.bytes(["first": ["a", "b"], "second": ["c", "d", "e"]])
        _ = try CompactFormTests.decode(bytes, as: Shelf.self)
        let once =
            (0..<3).map { ["second", "Index \($0)"] } + (0..<2).map { ["first", "Index \($0)"] }
        #expect(AnyValue.paths.withLock { $0 } == once + once)
    }

    @Test func missingAndAdditionalKeysAreWhatTheTypeMakesOfThem() throws {
        struct Less: Codable { var y = 0 }
        struct More: Codable { var z = 0 }
        struct Maybe: Codable { var z: Int? }
        let bytes = try CompactFormTests.bytes(Point(x: 1, y: 2))
        #expect(try CompactFormTests.decode(bytes, as: Less.self).y == 2)
        #expect(try CompactFormTests.decode(bytes, as: Maybe.self).z == nil)
        #expect(throws: DecodingError.self) {
            try CompactFormTests.decode(bytes, as: More.self)
        }
    }

    struct Picky: Encodable {
        struct Refusal: Error {}
        var refuses = true
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode("half")
            if refuses { throw Refusal() }
        }
    }

    /// A type may go on after what one of its parts threw.
    @Test func aPartThatRefusesLeavesNothingBehind() throws {
        struct Lenient: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CompactForm.Key.self)
                for (name, refuses) in [("a", true), ("b", false), ("c", true)] {
                    let key = CompactForm.Key(stringValue: name)
                    try? container.encode(Picky(refuses: refuses), forKey: key)
                }
                var list = container.nestedUnkeyedContainer(forKey: .init(stringValue: "d"))
                try? list.encode(Picky())
                try list.encode(1)
            }
        }
        let bytes = try CompactFormTests.bytes(Lenient())
        bytes.withUnsafeBytes { bytes in
            var tree = CompactTree(limit: 100)
            #expect(
                tree.read(bytes)
                    == .dictionary([
                        .init(key: .text("b"), value: .list([.text("half")])),
                        .init(key: .text("d"), value: .list([.integer(1)])),
                    ]))
        }
        #expect(throws: Picky.Refusal.self) { try CompactFormTests.bytes([Picky()]) }
    }

    @Test func misuseOfContainersIsAnError() {
        struct Both: Encodable {
            func encode(to encoder: any Encoder) throws {
                var list = encoder.unkeyedContainer()
                try list.encode(1)
                var keyed = encoder.container(keyedBy: CompactForm.Key.self)
                try keyed.encode(1, forKey: .super)
            }
        }
        struct Twice: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(1)
                try container.encode(2)
            }
        }
        #expect(throws: EncodingError.self) { try CompactFormTests.bytes(Both()) }
        #expect(throws: EncodingError.self) { try CompactFormTests.bytes(Twice()) }
    }

    // MARK: Damage

    @Test func shortenedAndChangedBytesNeverCrash() throws {
        struct Mixed: Codable {
            var lines = [Line(), Line()]
            var text = "a text that is longer than a short one, with ü and 😀"
            var dates = [Date(), .distantPast]
            var data = Data([1, 2, 3])
            var id = UUID()
            var url = URL(string: "https://example.org")
            var amount = Decimal(string: "12.5")
            var shape = CompactFormTests.Shape.polygon([Point()], closed: true)
            var byNumber = [1: "a", 2: "b"]
            var maybe: [Int?] = [nil, -5_000_000_000]
        }
        let bytes = try CompactFormTests.bytes(Mixed())
        for count in 0..<bytes.count {
            let cut = Array(bytes.prefix(count))
            #expect(throws: (any Error).self) { try CompactFormTests.decode(cut, as: Mixed.self) }
        }
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<RunSetting.repetitions(20_000) {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = changed.indices.randomElement(using: &random) ?? 0
                changed[place] = .random(in: 0...255, using: &random)
            }
            _ = try? CompactFormTests.decode(changed, as: Mixed.self)
            changed.withUnsafeBytes { bytes in
                var tree = CompactTree(limit: 10_000)
                _ = tree.read(bytes)
                _ = CompactForm.areSame(bytes, bytes)
            }
        }
    }

    @Test func aCountIsNotBelieved() throws {
        // 2^62 keys; a text of 2^62 bytes.
        let huge: [UInt8] = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40]
        #expect(throws: DecodingError.self) {
            try CompactFormTests.decode([1] + huge, as: Int.self)
        }
        #expect(throws: DecodingError.self) {
            try CompactFormTests.decode([1, 0, 0xC7] + huge + [1], as: String.self)
        }
        #expect(throws: DecodingError.self) {
            try CompactFormTests.decode([1, 0, 0xC7, 2, 0xC3, 0x28], as: String.self)
        }
        #expect(throws: DecodingError.self) {
            try CompactFormTests.decode(
                [1, 0, 0xC3] + [UInt8](repeating: 0xFF, count: 40), as: Int.self)
        }
    }

    /// A decoder that outlives the bytes reads nothing.
    @Test func aDecoderThatIsKeptReadsNothingLater() throws {
        final class Keeper: Decodable {
            let decoder: any Decoder
            init(from decoder: any Decoder) throws { self.decoder = decoder }
        }
        let keeper = try CompactFormTests.decode(
            try CompactFormTests.bytes(Line()), as: Keeper.self)
        #expect(throws: DecodingError.self) { try Line(from: keeper.decoder) }
        #expect(keeper.decoder.codingPath.isEmpty)
    }

    @Test func equalValuesWithKeysInAnotherOrderAreTheSame() throws {
        let ordered = Array("abcdefgh").map(String.init)
        func bytes(_ names: [String]) throws -> [UInt8] {
            struct Bag: Encodable {
                var names: [String]
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: CompactForm.Key.self)
                    for name in names {
                        try container.encode([name: 1], forKey: .init(stringValue: name))
                    }
                }
            }
            return try CompactFormTests.bytes(Bag(names: names))
        }
        let (one, two) = (try bytes(ordered), try bytes(ordered.reversed()))
        #expect(one != two)
        one.withUnsafeBytes { one in
            two.withUnsafeBytes { #expect(CompactForm.areSame(one, $0)) }
        }
        let other = try bytes(ordered.dropLast() + ["x"])
        one.withUnsafeBytes { one in
            other.withUnsafeBytes { #expect(!CompactForm.areSame(one, $0)) }
        }
    }
}
