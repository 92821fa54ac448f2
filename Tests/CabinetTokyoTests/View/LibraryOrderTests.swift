import Testing

@testable import CabinetTokyo

struct LibraryOrderTests {
    /// A file that the library has made tells what a header in memory tells without one.
    @Test func aHeaderInMemoryHasTheOrderOfAFile() throws {
        let ofFile = try #require(LibraryOrder.ofFile() as Bool?)
        #expect(LibraryOrder.ofMemory() == ofFile)
        #expect(LibraryOrder.isSwapped == ofFile)
    }
}
