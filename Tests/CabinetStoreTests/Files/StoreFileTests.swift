import Cabinet
import Foundation
import Testing
import TrustSupport

struct StoreFileTests {
    let desk = Desk()

    @Test func aFileHoldsAllThatAStoreHolds() throws {
        let file = try desk.open()
        let chapter = NotePage(0, "Chapter")
        file.store.insert(chapter)
        for number in [5, 3, 9, 1] {
            let page = NotePage(number, "page \(number)")
            file.store.insert(page)
            chapter.pages.append(page)
        }
        let buffer = DataBuffer()
        buffer.writeReference(chapter)
        file.store.namedBuffers["First"] = buffer
        try file.save()
        try file.close()
        let again = try desk.open(creating: false)
        #expect(again.damage == [])
        let found = try #require(
            try again.store.query(NotePage.self).filter { $0.text == "Chapter" }.first())
        #expect(found.pages.map(\.number) == [5, 3, 9, 1])
        let numbers = try again.store.query(NotePage.self)
            .filter { $0.number > 1 }.sorted(by: \.number).objects().map(\.number)
        #expect(numbers == [3, 5, 9])
        let named = try #require(try again.store.namedBuffers.buffer(for: "First"))
        #expect(try named.readReference(to: NotePage.self) === found)
        try again.close()
    }

    @Test func aDocumentIsEditedUntilItsFileHasEverything() throws {
        let file = try desk.open()
        #expect(!file.isEdited)
        file.store.insert(NotePage(1, "one"))
        #expect(file.isEdited)
        try file.store.save()
        #expect(file.isEdited)
        #expect(try desk.pages() == nil)
        try file.save()
        #expect(!file.isEdited)
        #expect(try desk.pages() == [1: "one"])
        file.metadata.title = "Notes"
        #expect(file.isEdited)
        try file.save()
        #expect(!file.isEdited)
        try file.close()
        // Indexes and classes of another program are no edits.
        let again = try desk.open()
        try again.store.indexes.build()
        #expect(!again.isEdited)
        try again.close()
    }

    @Test func documentsThatWereLeftAreListedAndOpened() throws {
        let unnamed = try desk.open(nil)
        unnamed.store.insert(NotePage(1, "unnamed"))
        try unnamed.store.save()
        let named = try desk.open()
        named.store.insert(NotePage(2, "named"))
        try named.store.save()
        func left() throws -> [LeftDocument] {
            try StoreFile.leftDocuments(workingDirectory: desk.url("Working"))
        }
        #expect(try left() == [])
        try unnamed.close()
        try named.close()
        #expect(Set(try left().map(\.url)) == [nil, desk.url()])
        for document in try left() {
            let file = try StoreFile(
                document, classes: [NotePage.self], workingDirectory: desk.url("Working"),
                log: .none)
            #expect(file.url == document.url)
            #expect(file.unsavedEdits != nil)
            let pages = try Desk.pages(in: file.store)
            #expect(pages == (document.url == nil ? [1: "unnamed"] : [2: "named"]))
            try file.save(as: desk.url("Saved \(pages.count)"), overwriting: true)
            try file.close()
        }
        #expect(try left() == [])
        let file = try desk.open(nil)
        try file.close()
        #expect(try left() == [])
    }

    @Test func undoReachesBackAcrossSavesOfTheFile() throws {
        let file = try desk.open()
        let page = NotePage(1, "one")
        file.store.insert(page)
        try file.save()
        file.store.undoHistory.isEnabled = true
        page.text = "two"
        try file.save()
        try file.save(as: desk.url("Other.cabinet"))
        try file.store.undoHistory.undo()
        #expect(page.text == "one")
        #expect(file.isEdited)
        try file.save()
        #expect(try desk.pages(in: "Other.cabinet") == [1: "one"])
        #expect(try desk.pages() == [1: "two"])
        try file.close()
    }

    @Test func whatWasNotSavedIsOfferedAgain() throws {
        do {
            let file = try desk.open()
            file.store.insert(NotePage(1, "one"))
            try file.save()
            file.store.insert(NotePage(2, "two"))
            try file.store.save()
        }
        let file = try desk.open()
        #expect(file.unsavedEdits?.file == .unchanged)
        #expect(file.isEdited)
        #expect(try Desk.pages(in: file.store) == [1: "one", 2: "two"])
        try file.revert()
        #expect(file.unsavedEdits == nil)
        #expect(!file.isEdited)
        #expect(try Desk.pages(in: file.store) == [1: "one"])
        file.store.insert(NotePage(3, "three"))
        try file.save()
        #expect(try desk.pages() == [1: "one", 3: "three"])
        try file.close()
    }

    @Test func aClosedFileKeepsWhatItIsNotToldToDiscard() throws {
        var file = try desk.open()
        file.store.insert(NotePage(1, "one"))
        try file.store.save()
        try file.close()
        #expect(try desk.pages() == nil)
        file = try desk.open()
        #expect(file.unsavedEdits != nil)
        try file.save()
        #expect(file.unsavedEdits == nil)
        file.store.insert(NotePage(2, "two"))
        try file.store.save()
        try file.close(discardingEdits: true)
        file = try desk.open()
        #expect(file.unsavedEdits == nil)
        #expect(try Desk.pages(in: file.store) == [1: "one"])
        try file.close()
    }

    @Test func savesOfOtherStoresAreInTheFile() async throws {
        let file = try desk.open()
        try await file.container.write { store in store.insert(NotePage(7, "seven")) }
        #expect(file.isEdited)
        try await file.saveInBackground()
        #expect(try desk.pages() == [7: "seven"])
        try file.close()
    }

    @Test func aFileThatAnotherProgramHasChangedIsNotOverwritten() throws {
        let other = try desk.open("Other.cabinet")
        other.store.insert(NotePage(9, "other"))
        try other.save()
        try other.close()
        let file = try desk.open()
        let path = desk.directory.file("Notes.cabinet")
        file.store.insert(NotePage(1, "one"))
        try file.save()
        let manager = FileManager.default
        try manager.removeItem(at: desk.url())
        #expect(throws: StoreError.fileMissing(path: path)) { try file.save() }
        try manager.copyItem(at: desk.url("Other.cabinet"), to: desk.url())
        #expect(throws: StoreError.fileChanged(path: path)) { try file.save() }
        #expect(try desk.pages() == [9: "other"])
        try file.save(overwriting: true)
        #expect(try desk.pages() == [1: "one"])
        try file.close()
        #expect(throws: StoreError.noFile) { try desk.open(nil).save() }
    }

    @Test func aDamagedFileSaysWhatIsMissing() throws {
        let file = try desk.open()
        for number in 0..<5_000 { file.store.insert(NotePage(number, "page \(number)")) }
        try file.save()
        try file.close()
        var bytes = try Data(contentsOf: desk.url())
        bytes[bytes.count / 2] ^= 8
        try bytes.write(to: desk.url())
        let damaged = try desk.open()
        #expect(!damaged.damage.isEmpty)
        for (number, text) in try Desk.pages(in: damaged.store) {
            #expect(text == "page \(number)")
        }
        let path = desk.directory.file("Notes.cabinet")
        #expect(throws: StoreError.fileDamaged(path: path)) { try damaged.save() }
        try damaged.save(as: desk.url("Rest.cabinet"))
        #expect(damaged.damage == [])
        #expect(try Data(contentsOf: desk.url()) == bytes)
        try damaged.close()
    }

    @MainActor
    @Test func autosaveWritesEditsAndNothingElse() async throws {
        let file = try desk.open()
        file.store.insert(NotePage(1, "one"))
        let autosave = Task { @MainActor in try await file.autosave(every: .milliseconds(1)) }
        for _ in 0..<30_000 where file.isEdited { try await Task.sleep(for: .milliseconds(2)) }
        autosave.cancel()
        _ = await autosave.result
        #expect(try desk.pages() == [1: "one"])
        try file.close()
    }

    @Test func metadataAreReadWithoutOpening() throws {
        let file = try desk.open()
        file.metadata.title = "Road trip"
        file.metadata.keywords = ["music", "straße", ""]
        file.metadata.thumbnail = Data([0, 1, 2, 255])
        file.metadata.created = Date(timeIntervalSince1970: -12.5)
        file.describe = { store, metadata in
            metadata.preview = "\((try? store.count(of: NotePage.self)) ?? -1) pages"
        }
        file.store.insert(NotePage(1, "one"))
        try file.save()
        let found = try StoreFile.metadata(of: desk.url())
        #expect(found == file.metadata)
        #expect(found.title == "Road trip")
        #expect(found.preview == "1 pages")
        #expect(found.keywords == ["music", "straße", ""])
        #expect(found.thumbnail == Data([0, 1, 2, 255]))
        #expect(found.created == Date(timeIntervalSince1970: -12.5))
        try file.close()
        #expect(throws: BackendError.self) { try StoreFile.metadata(of: desk.url("None")) }
    }

    @Test func aDocumentIsMadeOfBytesAndGivesThem() throws {
        let first = try StoreFile(
            contents: Data(), classes: [NotePage.self], workingDirectory: desk.url("Working"),
            log: .none)
        first.store.insert(NotePage(1, "one"))
        first.metadata.title = "Bytes"
        let bytes = try first.contents()
        #expect(first.isEdited)
        #expect(throws: StoreError.noFile) { try first.save() }
        let second = try StoreFile(
            contents: bytes, classes: [NotePage.self], workingDirectory: desk.url("Working"),
            log: .none)
        #expect(second.url == nil)
        #expect(second.metadata.title == "Bytes")
        #expect(try Desk.pages(in: second.store) == [1: "one"])
        try second.save(as: desk.url())
        #expect(second.url == desk.url())
        second.store.insert(NotePage(2, "two"))
        try second.save()
        #expect(try desk.pages() == [1: "one", 2: "two"])
        try second.close()
        try first.close(discardingEdits: true)
        #expect(throws: BackendError.self) {
            try StoreFile(contents: Data("no file".utf8), classes: [NotePage.self], log: .none)
        }
        let left = try FileManager.default.contentsOfDirectory(
            atPath: desk.url("Working").path(percentEncoded: false))
        #expect(left == ["Lock"])
    }

    /// As frameworks for documents call it.
    @Test func writingMovesOrCopiesAsItIsTold() throws {
        let file = try desk.open(nil)
        file.store.insert(NotePage(1, "one"))
        try file.write(to: desk.url("A"), moving: true)
        #expect(file.url == desk.url("A"))
        file.store.insert(NotePage(2, "two"))
        try file.write(to: desk.url("Copy"), moving: false)
        #expect(file.isEdited)
        #expect(try desk.pages(in: "A") == [1: "one"])
        #expect(try desk.pages(in: "Copy") == [1: "one", 2: "two"])
        try file.write(to: desk.url("A"), moving: true)
        #expect(!file.isEdited)
        try FileManager.default.removeItem(at: desk.url("A"))
        #expect(throws: StoreError.self) { try file.write(to: desk.url("A"), moving: true) }
        try file.close()
    }
}
