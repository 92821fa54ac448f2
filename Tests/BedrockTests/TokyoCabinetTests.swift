import CTokyoCabinet
import Testing

struct TokyoCabinetTests {
    @Test func libraryIsOfTheLineItsHeadersAre() {
        #expect(String(cString: cabinet_tokyo_version()).hasPrefix("1.4."))
    }

    @Test func recordsComeBackFromAHashFile() throws {
        let file = try HashFile()
        try file.putRecords(1000)
        #expect(file.recordCount == 1000)
        #expect(file.value(of: "1000") == Array("Test Song 1000".utf8))
        #expect(file.value(of: "1001") == nil)
    }
}
