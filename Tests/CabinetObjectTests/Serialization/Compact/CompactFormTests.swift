import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// What comes back is what went in, whatever containers a type asks for.
struct CompactFormTests {
    static func bytes<Value: Encodable>(_ value: Value) throws -> [UInt8] {
        let buffer = DataBuffer()
        try CompactForm.encode(value, to: buffer)
        return buffer.withUnsafeBytes { [UInt8]($0) }
    }

    static func decode<Value: Decodable>(
        _ bytes: [UInt8], as type: Value.Type = Value.self
    ) throws -> Value {
        try bytes.withUnsafeBytes { try CompactForm.decode(type, from: $0) }
    }

    @discardableResult
    func expectSame<Value: Codable & Equatable>(
        _ value: Value, _ location: SourceLocation = #_sourceLocation
    ) throws -> [UInt8] {
        let bytes = try Self.bytes(value)
        #expect(try Self.decode(bytes) == value, sourceLocation: location)
        return bytes
    }

    /// The tags, written out by hand.
    @Test func valuesHaveTheBytesOfTheFormat() throws {
        #expect(try expectSame(0) == [1, 0, 0])
        #expect(try expectSame(127) == [1, 0, 127])
        #expect(try expectSame(128) == [1, 0, 0xC3, 0x80, 0x01])
        #expect(try expectSame(-1) == [1, 0, 0xC4, 0])
        #expect(try expectSame(-300) == [1, 0, 0xC4, 0xAB, 0x02])
        #expect(try expectSame(true) == [1, 0, 0xC2])
        #expect(try expectSame("hi") == [1, 0, 0x82, 0x68, 0x69])
        let long = String(repeating: "x", count: 64)
        #expect(try expectSame(long) == [1, 0, 0xC7, 64] + [UInt8](repeating: 0x78, count: 64))
        #expect(try expectSame(1.5) == [1, 0, 0xC5, 0x3F, 0xC0, 0, 0])
        #expect(
            try expectSame(0.1) == [1, 0, 0xC6, 0x3F, 0xB9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A])
        #expect(try expectSame(Data([7, 8])) == [1, 0, 0xC8, 2, 7, 8])
        #expect(
            try expectSame(Date(timeIntervalSinceReferenceDate: 1))
                == [1, 0, 0xC9, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0])
        #expect(try expectSame([nil, 1] as [Int?]) == [1, 0, 0xCD, 2, 0xC0, 1])
        #expect(
            try expectSame(["a": [1], "b": []]).count
                == [1, 2, 1, 0x61, 1, 0x62, 0xCE, 7, 0, 0xCD, 1, 1, 1, 0xCD, 0].count)
        #expect(
            try expectSame(Decimal(string: "-1.5")) == [1, 0, 0xCC, 4] + Array("-1.5".utf8))
        let url = try #require(URL(string: "a:b"))
        #expect(try expectSame(url) == [1, 0, 0xCB, 3] + Array("a:b".utf8))
        let id = UUID()
        let bytes = withUnsafeBytes(of: id.uuid) { Array($0) }
        #expect(try Array(expectSame(id).dropFirst(3)) == bytes)
    }

    @Test func theEndsOfEveryNumberComeBack() throws {
        func ends<Value: FixedWidthInteger & Codable>(_ type: Value.Type) throws {
            try expectSame([Value.min, 0, 1, .max, .max / 2])
        }
        try ends(Int8.self)
        try ends(Int16.self)
        try ends(Int32.self)
        try ends(Int64.self)
        try ends(Int128.self)
        try ends(Int.self)
        try ends(UInt8.self)
        try ends(UInt16.self)
        try ends(UInt32.self)
        try ends(UInt64.self)
        try ends(UInt128.self)
        try ends(UInt.self)
        let doubles = [
            0.0, -0.0, .pi, .infinity, -.infinity, .leastNonzeroMagnitude, 3.5e38, 1e300,
        ]
        let found: [Double] = try Self.decode(try Self.bytes(doubles + [.nan]))
        #expect(found.dropLast().map(\.bitPattern) == doubles.map(\.bitPattern))
        #expect(found.last?.isNaN == true)
        try expectSame([Float.greatestFiniteMagnitude, -0.0, .leastNonzeroMagnitude])
    }

    @Test func foundationsValuesComeBack() throws {
        let base = try #require(URL(string: "https://example.org/a/"))
        let relative = try #require(URL(string: "b?c=d", relativeTo: base))
        let found: URL = try Self.decode(try Self.bytes(relative))
        #expect(found == relative && found.baseURL == base)
        try expectSame([Decimal.nan, 0, Decimal(string: "1e100") ?? 1, -1.25])
        try expectSame([Date.distantPast, .distantFuture])
        try expectSame(Data())
        try expectSame(IndexSet([1, 2, 9]))
        try expectSame(Locale(identifier: "de_AT"))
        try expectSame(DateComponents(year: 2026, month: 11))
        try expectSame(CGRect(x: 1, y: 2, width: 3.25, height: 4))
    }

    // MARK: Types

    enum Shape: Codable, Hashable {
        case none
        case circle(radius: Double)
        case polygon([Point], closed: Bool)
        indirect case group(Shape, Shape)
    }
    struct Point: Codable, Hashable {
        var x = 0
        var y = 0
        var name: String?
    }
    struct Empty: Codable, Hashable {}
    struct Everything: Codable, Hashable {
        var shapes: [Shape] = []
        var points: [Int: Point] = [:]
        var byPoint: [Point: Set<String>] = [:]
        var named: [String: Shape?] = [:]
        var empty = Empty()
        var nested: [[[UInt8]]] = []
        var maybe: Int??
        var range = 1..<5
    }

    @Test func synthesisedTypesComeBack() throws {
        let value = Everything(
            shapes: [
                .none, .circle(radius: 0.5),
                .polygon([Point(x: -1, y: 1 << 40), Point()], closed: true),
                .group(.group(.none, .circle(radius: 1)), .none),
            ],
            points: [1: Point(x: 1, name: "a"), -7: Point()],
            byPoint: [Point(): ["x", "yy"], Point(y: 3): []],
            named: ["": .some(.none), "long key of more than fifteen bytes": nil],
            nested: [[], [[1, 255]]], maybe: .some(.some(4)))
        try expectSame(value)
        try expectSame([value, Everything(), value])
        try expectSame(Empty())
    }

    class Animal: Codable {
        var name = "Rex"
        init() {}
    }
    final class Dog: Animal {
        var age = 3
        private enum CodingKeys: CodingKey { case age }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            age = try container.decode(Int.self, forKey: .age)
            try super.init(from: try container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try super.encode(to: container.superEncoder())
            try container.encode(age, forKey: .age)
        }
    }

    @Test func aSubclassComesBackWithItsSuperclass() throws {
        let dog = Dog()
        (dog.name, dog.age) = ("Bo", 9)
        let found: Dog = try Self.decode(try Self.bytes(dog))
        #expect(found.name == "Bo" && found.age == 9)
    }

    /// Fills containers in turns, in an order of its own.
    struct Woven: Codable, Equatable {
        enum Keys: CodingKey { case list, inner, number, tail }
        var numbers = [1, 2, 3]

        init() {}
        init(_ numbers: [Int]) { self.numbers = numbers }
        init(from decoder: any Decoder) throws {
            let outer = try decoder.container(keyedBy: Keys.self)
            var list = try outer.nestedUnkeyedContainer(forKey: .list)
            let inner = try outer.nestedContainer(keyedBy: Keys.self, forKey: .inner)
            numbers = []
            #expect(list.count == 4)
            numbers.append(try list.decode(Int.self))
            var deep = try list.nestedUnkeyedContainer()
            #expect(try deep.decode([String].self) == ["deep"] && deep.isAtEnd)
            numbers.append(try inner.decode(Int.self, forKey: .number))
            #expect(try inner.decodeNil(forKey: .tail))
            #expect(try list.decodeNil())
            numbers.append(try list.decode(Int.self))
            #expect(list.isAtEnd && list.currentIndex == 4)
            #expect(try outer.decode(String.self, forKey: .tail) == "end")
            #expect(Set(outer.allKeys.map(\.stringValue)) == ["list", "inner", "tail"])
        }
        func encode(to encoder: any Encoder) throws {
            var outer = encoder.container(keyedBy: Keys.self)
            var list = outer.nestedUnkeyedContainer(forKey: .list)
            var inner = outer.nestedContainer(keyedBy: Keys.self, forKey: .inner)
            try list.encode(numbers[0])
            try outer.encode("end", forKey: .tail)
            var deep = list.nestedUnkeyedContainer()
            try inner.encode(numbers[1], forKey: .number)
            try list.encodeNil()
            try deep.encode(["deep"])
            try list.encode(numbers[2])
            try inner.encodeNil(forKey: .tail)
        }
    }

    @Test func containersThatAreFilledInTurnsComeBack() throws {
        try expectSame(Woven())
        try expectSame([Woven([1 << 20, -5, 3]), Woven()])
    }

    @Test func keysAreWrittenOnce() throws {
        let points = (0..<100).map { Point(x: $0, y: $0, name: "n") }
        // Tag and length, and for each member its key and its value.
        #expect(try expectSame(points).count == 1 + 1 + 2 + 2 + 5 + 3 + 100 * (2 + 2 + 2 + 3))
    }

    @Test func manyKeysInAnyOrderAreFound() throws {
        let many = Dictionary(uniqueKeysWithValues: (0..<3000).map { ("key \($0)", $0) })
        let bytes = try expectSame(many)
        try bytes.withUnsafeBytes { bytes in
            let source = try CompactSource(bytes)
            let decoder = CompactDecoder(source, at: source.root, end: source.end, depth: 0)
            let container = try decoder.container(keyedBy: CompactForm.Key.self)
            for number in (0..<3000).reversed() {
                let key = CompactForm.Key(stringValue: "key \(number)")
                #expect(try container.decode(Int.self, forKey: key) == number)
            }
            #expect(!container.contains(CompactForm.Key(stringValue: "none")))
        }
    }
}
