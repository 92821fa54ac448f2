import CabinetTestSupport
import Foundation
import Testing

@testable import Cabinet

/// What an export may be written to.
struct ExportedFileTests {
    /// Also for a program that may put a file in its place.
    @Test func aDeviceStaysOne() throws {
        let directory = try TemporaryDirectory()
        let store = try Store(inMemory: exchangeClasses)
        store.insert(Knot())
        let device = "/dev/null"
        #expect(try store.json.export(to: URL(filePath: device)) == 1)
        let kind = try FileManager.default.attributesOfItem(atPath: device)[.type]
        #expect(kind as? FileAttributeType == .typeCharacterSpecial)
        let link = directory.url.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: device)
        #expect(try store.json.export(to: URL(filePath: link)) == 1)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == device)
    }
}
