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
                desk.url(), classes: [NotePage.self, Unnameable.self],
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

    /// Once, it was swept away, as its name has the form of theirs.
    @Test func aDirectoryOfAnotherProgramIsLeftAlone() throws {
        let other = desk.url("Working").appending(path: "00000000deadbeef")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        try Data("a".utf8).write(to: other.appending(path: "a"))
        try leaveEdits()
        try desk.open(discarding: true).close()
        #expect(try workingDirectories.map(\.lastPathComponent) == ["00000000deadbeef"])
        #expect(try Data(contentsOf: other.appending(path: "a")) == Data("a".utf8))
    }

    /// Once, a copy took them, and a revert of it ended them.
    @Test func editsOfAFileWhoseVolumeIsAwayStayItsOwn() throws {
        let (stick, away) = (desk.url("Stick"), desk.url("Away"))
        try FileManager.default.createDirectory(at: stick, withIntermediateDirectories: true)
        let file = try desk.open("Stick/Notes.cabinet")
        let page = NotePage(1, "one")
        file.store.insert(page)
        try file.save()
        page.text = "two"
        try file.store.save()
        try file.close()
        try FileManager.default.copyItem(
            at: desk.url("Stick/Notes.cabinet"), to: desk.url("Copy.cabinet"))
        try FileManager.default.moveItem(at: stick, to: away)
        let copy = try desk.open("Copy.cabinet")
        #expect(copy.unsavedEdits == nil)
        #expect(try Desk.pages(in: copy.store) == [1: "one"])
        try copy.close()
        try FileManager.default.moveItem(at: away, to: stick)
        let again = try desk.open("Stick/Notes.cabinet")
        #expect(try Desk.pages(in: again.store) == [1: "two"])
        try again.close()
    }

    @Test func aNewDocumentHasNothingToGoBackTo() throws {
        let file = try desk.open()
        file.store.insert(NotePage(1, "one"))
        try file.store.save()
        #expect(throws: StoreError.noFile) { try file.revert() }
        #expect(try Desk.pages(in: file.store) == [1: "one"])
        try file.close()
    }

    /// Once, dropping the table of a stale index was an edit.
    @Test func indexesThatAreMadeAnewAreNoEdits() throws {
        try leaveEdits()
        let file = try desk.open()
        try file.save()
        try file.close()
        let plain = try StoreFile(
            desk.url(), classes: [PlainPage.self], workingDirectory: desk.url("Working"),
            log: .none)
        for page in try plain.store.objects(of: PlainPage.self) { page.text = "three" }
        try plain.save()
        try plain.close()
        let again = try desk.open()
        try again.store.indexes.build()
        #expect(!again.isEdited)
        try again.close()
        #expect(try workingDirectories.isEmpty)
    }

    /// Once, what was shared with a group was its writer's alone after a save.
    @Test func aFileKeepsItsPermissions() throws {
        try leaveEdits()
        let path = desk.url().path(percentEncoded: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: path)
        let file = try desk.open()
        try file.save(overwriting: true)
        try file.close()
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o664)
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

/// The page of a program that does not know its index.
private final class PlainPage: StoredObject {
    @Field var number = 0
    @Field var text = ""
    @Many(inverse: \PlainPage.chapter) var pages: [PlainPage]
    @One var chapter: PlainPage?

    override class var storageName: String { "NotePage" }
}

/// A class that no store can be opened with.
private final class Unnameable: StoredObject {
    override class var storageName: String { "a/b" }

    @Test func aPackageKeepsWhatAProgramPutsBesideTheStore() throws {
        let desk = Desk(hasPackages: true)
        let (place, moved) = (desk.url("Book.notes"), desk.url("Moved.notes"))
        var file = try desk.open("Book.notes")
        file.store.insert(NotePage(1, "one"))
        file.metadata.title = "Book"
        try file.save()
        let picture = place.appending(path: "picture.png")
        try Data([1, 2, 3]).write(to: picture)
        file.store.insert(NotePage(2, "two"))
        try file.save()
        #expect(try Data(contentsOf: picture) == Data([1, 2, 3]))
        #expect(try StoreFile.metadata(of: place).title == "Book")
        #expect(throws: BackendError.self) { try desk.open("Book.notes") }
        file.store.insert(NotePage(3, "three"))
        try file.store.save()
        try file.close()
        // The package moves with what was left of it.
        try FileManager.default.moveItem(at: place, to: moved)
        file = try desk.open("Moved.notes", creating: false)
        #expect(file.unsavedEdits?.file == .unchanged)
        #expect(try Desk.pages(in: file.store).count == 3)
        try file.save()
        // In a file, and in a package again.
        let flat = desk.directory.file("Flat.notes")
        try file.save(as: URL(filePath: flat, directoryHint: .notDirectory))
        #expect(FileManager.default.contents(atPath: flat)?.isEmpty == false)
        try file.save(as: place)
        #expect(try desk.pages(in: "Book.notes")?.count == 3)
        try file.close()
        // A directory of something else is no document.
        let other = URL(filePath: desk.directory.file("Other"), directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        #expect(throws: BackendError.self) {
            try StoreFile(other, classes: [NotePage.self], workingDirectory: desk.url("Working"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path()).isEmpty)
    }
}
