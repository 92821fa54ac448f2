import Cabinet
import Foundation
import Testing

@testable import CabinetTestModel

struct FoundationTests {
    let buffer = DataBuffer()

    var bytes: [UInt8] { buffer.withUnsafeBytes { [UInt8]($0) } }

    @Test func dataIsItsCountAndItsBytes() throws {
        buffer.writeData(Data([9, 8, 7]))
        buffer.writeData(Data())
        #expect(bytes == [3, 0, 0, 0, 9, 8, 7, 0, 0, 0, 0])
        #expect(try buffer.readData() == Data([9, 8, 7]))
        #expect(try buffer.readData() == Data())
        #expect(throws: DataBufferError.truncated(needed: 4, remaining: 0)) {
            try buffer.readData()
        }
    }

    @Test func aDateIsBigEndianSecondsSince2001() throws {
        // 1.5 is 0x3FF8000000000000.
        buffer.writeDate(Date(timeIntervalSinceReferenceDate: 1.5))
        #expect(bytes == [0x3F, 0xF8, 0, 0, 0, 0, 0, 0])
        #expect(try buffer.readDate() == Date(timeIntervalSinceReferenceDate: 1.5))
    }

    @Test func aLegacyDateOfZeroIsNoDate() throws {
        buffer.writeLegacyDate(nil)
        buffer.writeLegacyDate(Date(timeIntervalSinceReferenceDate: -2))
        #expect(bytes == [0, 0, 0, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0])
        #expect(try buffer.readLegacyDate() == nil)
        #expect(try buffer.readLegacyDate() == Date(timeIntervalSinceReferenceDate: -2))
    }

    @Test func aUUIDIsItsSixteenBytesInOrder() throws {
        let uuid = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
        buffer.writeUUID(uuid)
        #expect(bytes == Array(0..<16))
        #expect(try buffer.readUUID() == uuid)
    }

    @Test func aURLIsItsAbsoluteText() throws {
        let base = try #require(URL(string: "https://example.org/a/"))
        buffer.writeURL(try #require(URL(string: "b", relativeTo: base)))
        #expect(bytes == "https://example.org/a/b".counted)
        #expect(try buffer.readURL().absoluteString == "https://example.org/a/b")
        buffer.removeAll()
        buffer.writeString("")
        #expect(throws: DataBufferError.invalidValue(type: "URL", offset: 0)) {
            try buffer.readURL()
        }
        #expect(buffer.position == 0)
    }

    @Test(arguments: [
        "0", "-12.5", "0.000000000000000000000000000000000001",
        "99999999999999999999999999999999999999", "1234567890.0987654321",
    ])
    func aDecimalIsItsTextAndExact(_ text: String) throws {
        let number = try #require(Decimal(string: text))
        buffer.writeDecimal(number)
        #expect(bytes == text.counted)
        #expect(try buffer.readDecimal() == number)
    }

    @Test func decimalsOfAnySizeComeBack() throws {
        let all: [Decimal] = [
            .nan, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
            Decimal(sign: .minus, exponent: 127, significand: 7), Decimal(1) / 3, .pi,
        ]
        for number in all { buffer.writeDecimal(number) }
        for number in all {
            let read = try buffer.readDecimal()
            #expect(read == number || (read.isNaN && number.isNaN))
        }
    }

    @Test(arguments: ["", "x", "12x", "1.2.3", "--1"])
    func aTextThatIsNoNumberIsNoDecimal(_ text: String) throws {
        buffer.writeString(text)
        #expect(throws: DataBufferError.invalidValue(type: "Decimal", offset: 0)) {
            try buffer.readDecimal()
        }
        #expect(buffer.position == 0)
        #expect(try buffer.readString() == text)
    }

    @Test func anyCodableIsInTheCompactFormBehindItsCount() throws {
        struct Settings: Codable, Equatable {
            var name = "a"
            var sizes = [1, 2]
        }
        buffer.writeCodable(Settings())
        buffer.writeCodable(5)
        #expect(
            bytes == [23, 0, 0, 0, 1, 2, 4] + Array("name".utf8) + [5] + Array("sizes".utf8)
                + [0xCE, 8, 0, 0x81, UInt8(ascii: "a"), 1, 0xCD, 2, 1, 2, 3, 0, 0, 0, 1, 0, 5])
        #expect(try buffer.readCodable(Settings.self) == Settings())
        let position = buffer.position
        #expect(throws: DataBufferError.self) { try buffer.readCodable(Settings.self) }
        #expect(buffer.position == position)
        #expect(try buffer.readCodable() == 5)
    }

    @Test func aPropertyListIsNoCodableValue() throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        buffer.writeData(try encoder.encode([5]))
        #expect(throws: DataBufferError.self) { try buffer.readCodable(Int.self) }
        #expect(buffer.position == 0)
    }

    @Test func aCodableThatRefusesIsKept() throws {
        struct Refuser: Encodable {
            struct Refusal: Error {}
            func encode(to encoder: any Encoder) throws { throw Refusal() }
        }
        buffer.writeCodable(Refuser())
        guard case .coding("Refuser", _)? = buffer.writeError as? DataBufferError else {
            Issue.record("\(String(describing: buffer.writeError))")
            return
        }
        let store = try Store(inMemory: [Song.self])
        store.namedBuffers["x"] = buffer
        #expect(throws: StoreError.self) { try store.save() }
        #expect(store.hasChanges)
        store.namedBuffers["x"] = nil
        try store.save()
    }

    @Test func foundationsValuesAreElements() throws {
        let dates: [Date?] = [nil, Date(timeIntervalSinceReferenceDate: 1.5)]
        buffer.writeArray(dates)
        #expect(bytes == [2, 0, 0, 0, 0, 1, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0])
        #expect(try buffer.readArray(of: Date?.self) == dates)
        buffer.removeAll()
        buffer.writeUInt32(2)
        for _ in 0..<31 { buffer.writeUInt8(0) }
        #expect(throws: DataBufferError.impossibleCount(count: 2, remaining: 31)) {
            try buffer.readArray(of: UUID.self)
        }
    }
}
