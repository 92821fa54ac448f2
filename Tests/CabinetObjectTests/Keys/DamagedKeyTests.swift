import Cabinet
import Foundation
import Testing
import TrustSupport

/// Bytes that no builder made give errors, and nothing else.
struct DamagedKeyTests {
    private func read<Value: OrderedKeyValue>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
        do {
            return try OrderedKey(bytes: bytes).values(type)
        } catch {
            return nil
        }
    }

    /// What is read is written as the same bytes again, so each value has one form.
    private func expectOneForm<Value: OrderedKeyValue>(
        _ type: Value.Type, _ bytes: [UInt8], but isSpared: (Value) -> Bool = { _ in false }
    ) {
        guard let value = read(type, bytes), !isSpared(value) else { return }
        #expect(OrderedKey(value).bytes == bytes, "\(value)")
    }

    private func readAll(_ bytes: [UInt8]) {
        expectOneForm(Int.self, bytes)
        expectOneForm(UInt8.self, bytes)
        expectOneForm(Int128.self, bytes)
        expectOneForm(UInt128.self, bytes)
        expectOneForm(Double.self, bytes)
        expectOneForm(Float.self, bytes)
        expectOneForm(Bool.self, bytes)
        expectOneForm(Date.self, bytes)
        expectOneForm(UUID.self, bytes)
        expectOneForm(Data.self, bytes)
        expectOneForm(Decimal.self, bytes)
        expectOneForm(Int??.self, bytes)
        // Text that was written under another collation need not be normalized.
        expectOneForm(String.self, bytes) { !$0.utf8.elementsEqual(TextForm.normalized($0).utf8) }
    }

    enum TextForm {
        static func normalized(_ text: String) -> String {
            (try? OrderedKey(text).values(String.self)) ?? text
        }
    }

    @Test(arguments: RunSetting.seeds(4))
    func randomBytesAreRefusedOrHaveOneForm(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<4000 {
            var bytes = (0..<random.below(24)).map { _ in UInt8(random.below(256)) }
            if !bytes.isEmpty { bytes[0] = UInt8(random.below(0x30)) }
            readAll(bytes)
        }
    }

    @Test func changedKeysAreRefusedOrHaveOneForm() throws {
        var random = SeededRandom(seed: RunSetting.seed)
        let keys = [
            OrderedKey(Int.min), OrderedKey(1000), OrderedKey(UInt128.max), OrderedKey(-0.5),
            OrderedKey("e\u{301}\0\u{1}x"), OrderedKey(Data([0, 1, 2, 255])), OrderedKey(UUID()),
            OrderedKey(try #require(Decimal(string: "-1234.5678901"))), OrderedKey(Decimal.nan),
            OrderedKey(Decimal.greatestFiniteMagnitude), OrderedKey(Int??.some(nil)),
            OrderedKey(Date(timeIntervalSinceReferenceDate: 1)), OrderedKey(true),
        ]
        for key in keys {
            for length in 0..<key.bytes.count { readAll(Array(key.bytes.prefix(length))) }
            for _ in 0..<RunSetting.repetitions(500) {
                var bytes = key.bytes
                bytes[random.below(bytes.count)] = UInt8(random.below(256))
                readAll(bytes)
                readAll(bytes + [UInt8(random.below(256))])
            }
        }
    }

    @Test func errorsSayWhatIsWrong() {
        #expect(throws: OrderedKeyError.truncated(needed: 1, remaining: 0)) {
            try OrderedKey(bytes: []).values(Int.self)
        }
        #expect(throws: OrderedKeyError.truncated(needed: 2, remaining: 1)) {
            try OrderedKey(bytes: [0x16, 1]).values(Int.self)
        }
        #expect(throws: OrderedKeyError.unexpectedTag(0x14, type: "Bool", offset: 1)) {
            try OrderedKey(true, 0).values(Bool.self, Bool.self)
        }
        #expect(throws: OrderedKeyError.invalidValue(type: "Int8", offset: 0)) {
            try OrderedKey(128).values(Int8.self)
        }
        #expect(throws: OrderedKeyError.invalidValue(type: "UInt", offset: 0)) {
            try OrderedKey(-1).values(UInt.self)
        }
        #expect(throws: OrderedKeyError.invalidValue(type: "Float", offset: 0)) {
            try OrderedKey(0.1).values(Float.self)
        }
        #expect(throws: OrderedKeyError.invalidValue(type: "String", offset: 0)) {
            try OrderedKey(bytes: [0x2D, 0xFF, 0]).values(String.self)
        }
        #expect(throws: OrderedKeyError.excess(count: 1)) { try OrderedKey(1, 0).values(Int.self) }
        #expect(throws: OrderedKeyError.unexpectedTag(0x2E, type: "String", offset: 0)) {
            try OrderedKey("a", collation: .numeric).values(String.self)
        }
        let errors: [OrderedKeyError] = [
            .truncated(needed: 2, remaining: 1), .unexpectedTag(1, type: "Int", offset: 0),
            .invalidValue(type: "Int", offset: 3), .cut, .excess(count: 2),
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        #expect(OrderedKey(bytes: [1, 0xAB]).description == "01ab")
        var row: RowID = 9
        #expect(
            [1, 2, 3].withUnsafeBytes {
                OrderedKey(UnsafeRawBufferPointer(rebasing: $0.prefix(3)), row: &row)
            } == nil)
        #expect(row == 9)
    }
}
