import CabinetBackend
import Testing

struct KeyRangeTests {
    @Test(
        arguments: [
            ([1], [2]), ([1, 2], [1, 3]), ([1, 255], [2]), ([0], [1]), ([255], nil),
            ([255, 255], nil), ([1, 255, 255], [2]), ([254, 255], [255]),
        ] as [([UInt8], [UInt8]?)])
    func aPrefixEndsBeforeTheNextOne(_ prefix: [UInt8], _ upper: [UInt8]?) {
        let range = KeyRange(prefix: prefix)
        #expect(range.lower == prefix)
        #expect(range.upper == upper)
    }

    /// It had a lower end of no bytes, so it was not the range that named tables take.
    @Test func theEmptyPrefixIsEverything() {
        #expect(KeyRange(prefix: []) == .everything)
    }
}
