import Cabinet
import Foundation
import Testing
import TrustSupport

/// What a document has and its file has not stays until it is said to go.
struct StoreFileLossTests {
    private let desk = Desk()

    private var workingDirectories: [URL] {
        get throws {
            try FileManager.default.contentsOfDirectory(
                at: desk.url("Working"), includingPropertiesForKeys: nil
            ).filter { $0.lastPathComponent != "Lock" }
        }
    }

    /// Leaves a file with "one", and "two" beside it.
    private func leaveEdits() throws {
        let file = try desk.open()
        let page = NotePage(1, "one")
        file.store.insert(page)
        try file.save()
        page.text = "two"
        try file.store.save()
        try file.close()
    }

    /// Once, its directory went with the process all the same.
    @Test func aDocumentOfBytesThatWasSavedAsAFileIsAsAnyOther() throws {
        for contents in [Data(), try bytes()] {
            let name = "Notes\(contents.count).cabinet"
            let file = try StoreFile(
                contents: contents, classes: [NotePage.self], workingDirectory: desk.url("Working"),
                log: .none)
            #expect(throws: StoreError.noFile) { try file.revert() }
            #expect(throws: StoreError.noFile) { try file.save() }
            try file.save(as: desk.url(name))
            file.store.insert(NotePage(2, "two"))
            try file.store.save()
            try file.close()
            let again = try desk.open(name)
            #expect(again.unsavedEdits != nil)
            #expect(try Desk.pages(in: again.store)[2] == "two")
            try again.close(discardingEdits: true)
        }
    }

    private func bytes() throws -> Data {
        let file = try desk.open("Bytes.cabinet")
        file.store.insert(NotePage(1, "one"))
        let bytes = try file.contents()
        try file.close(discardingEdits: true)
        return bytes
    }

    /// Once, its copy took what was left of the file that had been moved away.
    @Test func aDocumentOfBytesTakesNothingFromTheFileThatTheyAreOf() throws {
        try leaveEdits()
        let bytes = try Data(contentsOf: desk.url())
        try FileManager.default.removeItem(at: desk.url())
        let copy = try StoreFile(
            contents: bytes, classes: [NotePage.self], workingDirectory: desk.url("Working"),
            log: .none)
        #expect(try Desk.pages(in: copy.store) == [1: "one"])
        try copy.close()
        let file = try desk.open()
        #expect(try Desk.pages(in: file.store) == [1: "two"])
        #expect(file.unsavedEdits?.file == .missing)
        try file.close()
    }

    /// Once, they were gone before the opening failed.
    @Test func anOpeningThatFailsDiscardsNothing() throws {
        try leaveEdits()
        #expect(throws: (any Error).self) {
            _ = try StoreFile(
                desk.url(), classes: [NotePage.self, NotePage.self],
                discardingUnsavedEdits: true, workingDirectory: desk.url("Working"), log: .none)
        }
        let file = try desk.open()
        #expect(file.unsavedEdits != nil)
        #expect(try Desk.pages(in: file.store) == [1: "two"])
        try file.close()
        let discarding = try desk.open(discarding: true)
        #expect(try Desk.pages(in: discarding.store) == [1: "one"])
        try discarding.close()
        #expect(try workingDirectories.isEmpty)
    }

    /// Once, it was swept away as one that was being made.
    @Test func aDirectoryWithADamagedRecordIsLeftAlone() throws {
        try leaveEdits()
        let left = try #require(try workingDirectories.first)
        let record = left.appending(path: "Record")
        var bytes = try Data(contentsOf: record)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: record)
        let file = try desk.open()
        #expect(try Desk.pages(in: file.store) == [1: "one"])
        try file.close()
        #expect(try workingDirectories.map(\.lastPathComponent) == [left.lastPathComponent])
    }

    /// Once, they were taken back by the end of the save.
    @MainActor
    @Test func metadataThatAreEditedDuringASaveStayEdited() async throws {
        let file = try desk.open()
        file.store.insert(NotePage(1, "one"))
        file.metadata.title = "Old"
        // Once the save has described the file, another thread writes it, and the main actor is free.
        var isDescribed = false
        file.describe = { _, metadata in
            metadata.keywords = ["described"]
            isDescribed = true
        }
        let saving = Task { try await file.saveInBackground() }
        while !isDescribed { await Task.yield() }
        file.metadata.title = "New"
        try await saving.value
        #expect(try StoreFile.metadata(of: desk.url()).title == "Old")
        #expect(file.metadata.title == "New" && file.isEdited)
        try file.save()
        #expect(try StoreFile.metadata(of: desk.url()).title == "New")
        #expect(!file.isEdited && file.metadata.keywords == ["described"])
        try file.close()
    }

    /// Once, it was shown as whole from the second opening on.
    @Test func aDamagedFileWithEditsIsStillDamaged() throws {
        let file = try desk.open()
        for number in 0..<500 { file.store.insert(NotePage(number, "\(number * 7_919)")) }
        try file.save()
        try file.close()
        var bytes = try Data(contentsOf: desk.url())
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: desk.url())
        let damaged = try desk.open()
        #expect(!damaged.damage.isEmpty)
        damaged.store.insert(NotePage(1_000, "new"))
        try damaged.store.save()
        try damaged.close()
        let again = try desk.open()
        #expect(again.unsavedEdits != nil && !again.damage.isEmpty)
        #expect(throws: StoreError.self) { try again.save() }
        try again.save(overwriting: true)
        #expect(again.damage.isEmpty)
        try again.close()
        #expect(try desk.pages()?[1_000] == "new")
    }
}
