import Testing
import TrustSupport

struct SparseFileTests {
    @Test func bytesComeBackAsTheyWereWritten() {
        var file = SparseFile()
        file.write([1, 2, 3], at: 510)
        file.extend(to: 2000)
        var expected = [UInt8](repeating: 0, count: 2000)
        expected.replaceSubrange(510..<513, with: [1, 2, 3])
        #expect(file.bytes == expected)
        #expect(file.content.map(\.index) == [0, 1])
    }

    @Test func aSectorThatIsLostLeavesTheOthers() {
        var file = SparseFile()
        file.write([UInt8](repeating: 7, count: 1200), at: 100) { $0 != 1 }
        #expect(file.bytes[511] == 7 && file.bytes[512] == 0)
        #expect(file.bytes[1023] == 0 && file.bytes[1024] == 7)
        #expect(file.size == 1300)
    }

    @Test func aLostEndMakesTheFileNoLonger() {
        var file = SparseFile()
        file.write([UInt8](repeating: 7, count: 1200), at: 0) { $0 < 1 }
        #expect(file.size == 512)
    }

    @Test func whatIsCutOffIsZeroWhenTheFileGrowsAgain() {
        var file = SparseFile([UInt8](repeating: 7, count: 1500))
        file.truncate(to: 700)
        file.truncate(to: 1500)
        #expect(file.bytes[699] == 7 && file.bytes[700] == 0 && file.bytes[1400] == 0)
        #expect(file == SparseFile(file.bytes))
    }

    @Test func pagesAreTakenWhole() {
        let old = SparseFile([UInt8](repeating: 1, count: 9000))
        let new = SparseFile([UInt8](repeating: 2, count: 9000))
        var mixed = old
        mixed.takePage(1, from: new)
        #expect(mixed.bytes[4095] == 1 && mixed.bytes[4096] == 2)
        #expect(mixed.bytes[8191] == 2 && mixed.bytes[8192] == 1)
        #expect(old.differingPages(from: mixed) == [1])
    }
}
