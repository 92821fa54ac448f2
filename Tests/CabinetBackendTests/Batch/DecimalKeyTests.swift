import CabinetBackend
import Testing

struct DecimalKeyTests {
    @Test(
        arguments: [
            (2, "2"), (9, "9"), (10, "10"), (99, "99"), (100, "100"), (65_536, "65536"),
            (999_999_999, "999999999"), (4_294_967_294, "4294967294"), (.max, "4294967295"),
        ] as [(RowID, String)])
    func aRowIsItsDigits(_ row: RowID, _ digits: String) {
        var text = [UInt8](repeating: 0xEE, count: DecimalKey.longest)
        let start = text.withUnsafeMutableBufferPointer { text in
            text.baseAddress.map { DecimalKey.write(row, to: $0) } ?? 0
        }
        #expect(Array(text[start...]) == Array(digits.utf8))
        #expect(text[..<start].allSatisfy { $0 == 0xEE })
        #expect(Array(digits.utf8).withUnsafeBytes { DecimalKey.row(of: $0) } == row)
    }

    @Test(
        arguments: [
            "", "0", "01", "-1", "+1", " 1", "1 ", "1a", "a", "٣", "1.0", "4294967296",
            "9999999999", "10000000000", "1\0",
        ])
    func otherTextIsNoRow(_ text: String) {
        #expect(Array(text.utf8).withUnsafeBytes { DecimalKey.row(of: $0) } == nil)
    }
}
