import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Stores of development versions are refused, and left as they are; `Tests/Fixtures/README.md`
/// describes those with segments of format 1.
struct OlderFormatTests {
    let directory = ScratchDirectory(inMemory: true)
    var path: String { directory.file("Music") }

    private func take(_ fixture: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Fixtures/format-1/\(fixture)").standardizedFileURL
        try FileManager.default.copyItem(atPath: folder.path, toPath: path)
    }

    private func expectRefusal(_ expected: BackendError) throws {
        func files() throws -> [String: Data] {
            // It holds the name of the process that looked last.
            try content(of: path).filter { $0.key != "Journal/Lock" }
        }
        let before = try files()
        for access in [Access.readOnly, .readWrite] {
            #expect(throws: expected, "\(access)") {
                _ = try TokyoBackend(path: path, access: access)
            }
            #expect(try files() == before, "\(access)")
        }
    }

    @Test(arguments: ["closed", "killed"])
    func aSnapshotOfADevelopmentVersionIsRefused(_ fixture: String) async throws {
        try take(fixture)
        let expected = BackendError.olderFormat(
            path: StorePaths(root: path).snapshot(1), found: 1, oldest: SnapshotHeader.openFormat)
        try expectRefusal(expected)
        #expect("\(expected)".contains("Export the objects as JSON"))
    }

    @Test func salvageRefusesThemToo() async throws {
        try take("killed")
        let before = try content(of: path)
        await #expect(throws: BackendError.self) {
            _ = try await TokyoBackend.salvage(from: path, into: directory.file("New"))
        }
        #expect(!FileManager.default.fileExists(atPath: directory.file("New")))
        #expect(
            try content(of: path)["Journal/log-0000000000000002"]
                == before["Journal/log-0000000000000002"])
    }

    /// A backup has no segments: the catalog in its snapshot says it.
    @Test func aCatalogOfADevelopmentVersionIsRefused() throws {
        let backend = try TokyoBackend(path: path)
        let batch = backend.makeBatch()
        try batch.define(.song)
        try batch.put("song", at: 2, in: 2)
        var entry = StoreEntry(backend.identity)
        entry.format = 1
        try backend.commit(batch)
        let older = backend.makeBatch()
        try older.putCatalog(entry.json(), for: CatalogKey.store)
        try backend.commit(older)
        try backend.close()
        try expectRefusal(
            .olderFormat(
                path: StorePaths(root: path).catalog, found: 1, oldest: StoreEntry.knownFormat))
    }
}

/// The names of all files in a directory and below, with their bytes.
func content(of directory: String) throws -> [String: Data] {
    var content: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
        content[name] = FileManager.default.contents(atPath: directory + "/" + name)
    }
    return content
}
