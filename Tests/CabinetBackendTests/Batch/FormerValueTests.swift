import Testing

@testable import CabinetBackend

/// The operation 0x81, written by hand as FORMATS.md has it.
struct FormerValueTests {
    private static let row: [UInt8] = [
        1, 7, 0, 0, 0, 0x6F, 0x6C, 0x64, 0xC5, 0xF4, 0xF8, 0xF0,
    ]
    private static let key: [UInt8] = [2, 2, 0, 0, 0, 0x61, 0x62, 0x6F, 1, 2, 3, 4]

    private func operation(_ body: [UInt8]) -> [UInt8] {
        [0x81, 2, 0, UInt8(body.count), 0, 0, 0] + body
    }

    @Test func aRowAndAKeyAreReadAsTheyWere() throws {
        try Self.row.withUnsafeBytes { bytes in
            let former = try #require(FormerValue(bytes))
            guard case .row(7) = former.place else {
                Issue.record("no row")
                return
            }
            #expect(former.stored.map(Array.init) == [0x6F, 0x6C, 0x64, 0xC5, 0xF4, 0xF8, 0xF0])
            let sum = Array("7old".utf8).withUnsafeBytes { $0.checksum() }
            #expect(
                former.stored?.loadUnaligned(fromByteOffset: 3, as: UInt32.self) == sum.littleEndian
            )
        }
        try Self.key.withUnsafeBytes { bytes in
            let former = try #require(FormerValue(bytes))
            guard case .key(let key) = former.place else {
                Issue.record("no key")
                return
            }
            #expect(Array(key) == [0x61, 0x62])
            #expect(former.stored.map(Array.init) == [0x6F, 1, 2, 3, 4])
        }
        for body in [Self.row.prefix(5), Self.key.prefix(7)] {
            Array(body).withUnsafeBytes { bytes in
                let former = FormerValue(bytes)
                #expect(former != nil && former?.stored == nil)
            }
        }
    }

    @Test func aBatchWritesWhatARowHad() throws {
        let batch = WriteBatch()
        try Array("old".utf8).withUnsafeBytes { try batch.addFormer($0, of: 7, in: 2) }
        try batch.addFormer(nil, of: 9, in: 2)
        try batch.addNewRows(in: 2)
        let bytes = batch.arena.withUnsafeBytes { Array($0) }
        let expected = operation(Self.row) + operation([1, 9, 0, 0, 0]) + operation([3])
        #expect(bytes.suffix(expected.count).elementsEqual(expected))
    }

    @Test func theReaderSkipsItAndGoesOn() {
        for body in [Self.row, Self.key, [9], [3, 1, 2]] {
            let bytes = operation(body) + [6, 5, 0]
            bytes.withUnsafeBytes { bytes in
                var reader = OperationReader(bytes)
                guard case .unknown(0x81, 2, let found) = reader.next() else {
                    Issue.record("not skipped: \(body)")
                    return
                }
                #expect(Array(found) == body)
                guard case .drop(5) = reader.next() else {
                    Issue.record("stopped")
                    return
                }
                #expect(reader.next() == nil && !reader.isDamaged)
            }
        }
    }

    @Test func oneThatIsCutShortIsDamage() {
        let bad: [[UInt8]] = [
            [], [1], Array(Self.row.prefix(4)), Array(Self.row.prefix(8)),
            Array(Self.key.prefix(6)), Array(Self.key.prefix(9)), [2, 0xFF, 0xFF, 0xFF, 0xFF],
        ]
        for body in bad {
            operation(body).withUnsafeBytes { bytes in
                var reader = OperationReader(bytes)
                #expect(reader.next() == nil && reader.isDamaged, "\(body)")
            }
        }
    }
}
