import CLibrary
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// The copy of the catalog that salvage reads where the log is gone.
struct CatalogCopyTests {
    let store = ToolStore()
    var copy: String { store.path + "/Catalog.copy" }

    private func inode() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: copy)
        return try #require(attributes[.systemFileNumber] as? Int)
    }

    @Test func itIsMadeAnewWhenTheClassesHaveChanged() throws {
        try store.makeClosed()
        let first = try inode()
        let backend = try TokyoBackend(path: store.path)
        _ = try backend.put("song 50", at: 50, in: 2)
        try backend.close()
        #expect(try inode() == first, "only the highest row is another")
        let again = try TokyoBackend(path: store.path)
        let batch = again.makeBatch()
        try batch.put("changed", forKey: "layout", in: .catalog)
        try again.commit(batch)
        try again.close()
        #expect(try inode() != first)
        let catalog = store.path + "/Journal/Catalog"
        #expect(
            FileManager.default.contents(atPath: copy)
                == FileManager.default.contents(atPath: catalog))
    }

    @Test func closingDoesNotDependOnIt() throws {
        let files = FaultyFiles()
        let backend = try TokyoBackend(path: store.path, files: files)
        try store.fill(backend)
        files.replacePlan { _, operation, path in
            path.contains("Catalog.copy") && operation != .remove ? .error(ENOSPC) : nil
        }
        try backend.close()
        files.replacePlan(nil)
        #expect(!store.isThere(copy) && !store.isThere(copy + ".new"))
        let messages = Messages()
        let again = try TokyoBackend(path: store.path, log: LogSink { messages.add($1) })
        #expect(messages.all.isEmpty)
        #expect(try again.rows(in: 2).count == 20)
    }

    /// What is damaged in it, salvage leaves out.
    @Test func aDamagedCopyGivesNothingThatIsWrong() async throws {
        try store.makeClosed()
        try store.remove("Journal")
        let size = try #require(FileManager.default.contents(atPath: copy)).count
        let saved = store.directory.file("Saved")
        for offset in Array(stride(from: 0, to: 256, by: 7))
            + Array(stride(from: 256, to: size, by: 1999))
        {
            try store.flip(copy, offset)
            let report = try await TokyoBackend.salvage(from: store.path, into: saved)
            #expect(report.lost.contains { $0.kind == .missingLog })
            let backend = try TokyoBackend(path: saved)
            #expect(try backend.tables() == [.song, .byTitle], "at \(offset)")
            #expect(try backend.rows(in: 2).count == 20, "at \(offset)")
            let layout = try backend.text(forKey: "layout", in: .catalog)
            #expect(layout == "kept" || layout == nil)
            try backend.close()
            try FileManager.default.removeItem(atPath: saved)
            try store.flip(copy, offset)
        }
    }
}
