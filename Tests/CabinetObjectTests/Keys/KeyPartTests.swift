import Cabinet
import Foundation
import Testing
import TrustSupport

@testable import CabinetTestModel

struct KeyPartTests {
    private func parts(_ bytes: [UInt8]) throws -> [OrderedKeyPart] {
        try bytes.withUnsafeBytes { bytes in
            var reader = OrderedKeyReader(bytes)
            var found: [OrderedKeyPart] = []
            while reader.remaining > 0 { found.append(try reader.nextPart()) }
            return found
        }
    }

    @Test func partsOfUnknownTypesAreRead() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1)
        let uuid = UUID()
        var builder = OrderedKeyBuilder()
        builder.append(Int?.none)
        builder.append(Int??.some(nil))
        builder.append(Int128.min)
        builder.append(UInt8.max)
        builder.append(UInt128.max)
        builder.append(true)
        builder.append(Float(0.5))
        builder.append(date)
        builder.append(uuid)
        builder.append(Decimal(12.5))
        builder.append(Data([0, 1, 0xAB]))
        builder.append("a\0")
        builder.append("Track 07", collation: .numeric)
        builder.append("49-30", collation: .digitsOnly)
        let found = try parts(builder.key.bytes)
        #expect(
            found == [
                .none, .present, .none, .integer(.min), .integer(255), .largeInteger(.max),
                .bool(true), .double(0.5), .date(date), .uuid(uuid), .decimal(12.5),
                .bytes(Data([0, 1, 0xAB])), .text("a\0"),
                .collated(levels: [Data("Track 0\u{3}7".utf8), Data([3])]),
                .collated(levels: [Data("4930".utf8)]),
            ])
        #expect(
            found.map(\.description) == [
                "nil", "some", "nil", "\(Int128.min)", "255", "\(UInt128.max)", "true", "0.5",
                "\(date)", "\(uuid)", "12.5", "0001ab", #""a\0""#,
                #""Track 0\u{03}7" "\u{03}""#, #""4930""#,
            ])
    }

    @Test func aCutKeyHasPartsUpToTheCut() throws {
        let key = OrderedKey(7, String(repeating: "x", count: 2000))
        try key.bytes.withUnsafeBytes { bytes in
            var reader = OrderedKeyReader(bytes)
            let first = try reader.nextPart()
            #expect(first == .integer(7))
            #expect(throws: OrderedKeyError.cut) { try reader.nextPart() }
        }
    }

    @Test func bytesThatNoBuilderMadeAreRefused() {
        #expect(throws: OrderedKeyError.unexpectedTag(0x02, type: "part", offset: 0)) {
            try parts([2])
        }
        #expect(throws: OrderedKeyError.unexpectedTag(0x2F, type: "part", offset: 1)) {
            try parts([0, 0x2F])
        }
        #expect(throws: OrderedKeyError.truncated(needed: 1, remaining: 0)) {
            try parts([0x2E, 65, 1, 1])
        }
        #expect(throws: OrderedKeyError.invalidValue(type: "text", offset: 0)) {
            try parts([0x2E, 1, 4, 0])
        }
        #expect(throws: OrderedKeyError.invalidValue(type: "String", offset: 0)) {
            try parts([0x2D, 1, 1, 0])
        }
        var random = SeededRandom(seed: 80)
        for _ in 0..<4000 {
            var bytes = (0..<1 + random.below(24)).map { _ in UInt8(random.below(256)) }
            bytes[0] = UInt8(random.below(0x30))
            _ = try? parts(bytes)
        }
    }
}
