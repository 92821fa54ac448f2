import Testing

@testable import Cabinet
@testable import CabinetTestModel

struct FieldTypeTests {
    @Test(arguments: [
        "Int32?", "[String: [Date?]]", "Set<UUID>", "Codable<Pair<Int, Box<Int>>>",
        "Custom<Money>?", "One<Song>", "Many<Song_2-x>", "UInt128",
    ])
    func aTypesTextIsReadBack(_ text: String) throws {
        #expect(FieldType(text: text)?.description == text)
    }

    @Test(arguments: ["", "?", "[Int", "Set<Int>>", "Integer", "[Int:Int]", "Codable<A"])
    func whatIsNoTypesTextIsRefused(_ text: String) { #expect(FieldType(text: text) == nil) }

    @Test(arguments: [
        ("Int8", "Int128", true), ("UInt8", "Int16", true), ("UInt64", "Int64", false),
        ("Int64", "UInt128", false), ("Int", "Int64", true), ("Float", "Double", true),
        ("Int32", "Double", true), ("Int64", "Double", false), ("Int16", "Float", true),
        ("String", "String?", true), ("String?", "String", false), ("[Int8]", "[Int?]", true),
        ("[String: Int8]", "[String: Int16]", true), ("Set<Int8>", "[Int8]", false),
    ])
    func onlyWideningsGoByThemselves(_ from: String, _ to: String, _ isWider: Bool) throws {
        let (from, to) = (try #require(FieldType(text: from)), try #require(FieldType(text: to)))
        #expect(from.widens(to: to) == isWider)
    }

    @Test func wideningKeepsEveryValue() throws {
        func widen<From: BufferValue, To: BufferValue & Equatable>(
            _ value: From, _ wanted: To
        ) throws {
            let (old, new) = (DataBuffer(), DataBuffer())
            value.write(to: old)
            let from = try #require(FieldType(From.self))
            try from.convert(old, to: try #require(FieldType(To.self)), new)
            #expect(try To.read(from: new) == wanted)
            #expect(old.remaining == 0 && new.remaining == 0)
        }
        try widen(Int8.min, Int64(-128))
        try widen(UInt8.max, Int16(255))
        try widen(Int64.min, Int128(Int64.min))
        try widen(UInt64.max, UInt128(UInt64.max))
        try widen(UInt64.max, Int128(UInt64.max))
        try widen(Int32.min, Double(Int32.min))
        try widen(UInt32.max, Double(UInt32.max))
        try widen(Int16(-3), Float(-3))
        try widen(Float(1.5), Double(1.5))
        try widen("a", String?("a"))
        try widen([Int8(-1), 2], [Int32?(-1), 2] as [Int32?])
        try widen(["a": Int8(-1)], ["a": Int(-1)])
        try widen(Int8?.none, Int16?.none)
    }
}
