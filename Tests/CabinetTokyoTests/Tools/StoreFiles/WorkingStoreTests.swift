import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

struct WorkingStoreTests {
    let scene = DocumentScene()

    @Test func aSavedFileHoldsWhatTheStoreHolds() throws {
        try scene.makeFile()
        #expect(try scene.workingCount == 0)
        #expect(try scene.names == ["Music.cabinet", "Working"])
        let opened = try scene.open(creates: false)
        #expect(opened.unsaved == nil)
        #expect(opened.report == nil)
        #expect(try opened.working.backend.rows(in: 2).count == 10)
        #expect(try opened.working.backend.keys(in: 3).count == 10)
        #expect(try opened.working.backend.text(forKey: "Favorite", in: .namedBuffers) == "song 3")
        #expect(try !opened.working.hasEdits)
        let reader = try StoreFileReader(scene.path, files: SystemFiles())
        #expect(reader.metadata == Array("metadata".utf8))
        try opened.working.finish(discarding: false)
        #expect(try scene.workingCount == 0)
    }

    @Test func onlySavingWritesTheFile() throws {
        try scene.makeFile()
        let before = scene.bytes
        let opened = try scene.open()
        try scene.edit(opened.working, "one")
        #expect(try opened.working.hasEdits)
        #expect(scene.bytes == before)
        try opened.working.finish(discarding: false)
        #expect(scene.bytes == before)
        let again = try scene.open()
        #expect(again.unsaved == .init(last: 2, standing: .same))
        #expect(try scene.edit(again.working) == "one")
        try again.working.save([])
        #expect(try !again.working.hasEdits)
        #expect(try scene.savedEdit() == "one")
        try scene.edit(again.working, "two")
        try again.working.finish(discarding: true)
        #expect(try scene.workingCount == 0)
        let last = try scene.open()
        #expect(last.unsaved == nil)
        #expect(try scene.edit(last.working) == "one")
        try last.working.finish(discarding: false)
    }

    @Test func unsavedEditsCanBeDiscardedWhenTheFileIsOpened() throws {
        try scene.makeFile()
        let opened = try scene.open()
        try scene.edit(opened.working, "one")
        try opened.working.finish(discarding: false)
        let again = try scene.open(discards: true)
        #expect(again.unsaved == nil)
        #expect(try scene.edit(again.working) == nil)
        try again.working.finish(discarding: false)
        #expect(try scene.workingCount == 0)
    }

    @Test func aFileIsOpenOnce() throws {
        try scene.makeFile()
        let opened = try scene.open()
        #expect(throws: BackendError.busy(path: scene.path, holder: "")) { try scene.open() }
        let other = try scene.open(scene.directory.file("Other.cabinet"))
        #expect(throws: BackendError.busy(path: scene.path, holder: "")) {
            try other.working.move(to: scene.path, [], overwriting: true)
        }
        try other.working.finish(discarding: true)
        try opened.working.finish(discarding: true)
        try scene.open().working.finish(discarding: true)
    }

    @Test func withoutAFileThereIsNothingToOpen() throws {
        #expect(throws: BackendError.noStore(path: scene.path)) { try scene.open(creates: false) }
        #expect(try scene.workingCount == 0)
        try scene.write(Array("{\"no\": \"store file\"}".utf8))
        #expect(throws: BackendError.notAStore(path: scene.path)) { try scene.open() }
        #expect(try scene.workingCount == 0)
    }

    @Test func aNewStoreIsSavedEmpty() throws {
        let opened = try scene.open()
        #expect(try !opened.working.hasEdits)
        try opened.working.save([])
        #expect(scene.bytes.count == StoreFileHeader.size)
        try opened.working.finish(discarding: false)
        let again = try scene.open()
        #expect(try again.working.backend.tables() == [])
        try again.working.finish(discarding: false)
    }

    @Test func savingAsMovesAndDuplicatingDoesNot() throws {
        let (second, third) = (scene.directory.file("B.cabinet"), scene.directory.file("C.cabinet"))
        try scene.makeFile()
        let opened = try scene.open()
        let working = opened.working
        try scene.edit(working, "one")
        try working.duplicate(to: second, [])
        #expect(try working.hasEdits)
        #expect(try scene.savedEdit(second) == "one")
        #expect(throws: BackendError.self) { try working.move(to: second, []) }
        try working.move(to: third, [])
        #expect(working.path == third)
        #expect(try !working.hasEdits)
        #expect(try scene.savedEdit() == nil)
        try scene.edit(working, "two")
        try working.save([])
        #expect(try scene.savedEdit(third) == "two")
        // The first is free, the third is not.
        try scene.open().working.finish(discarding: false)
        #expect(throws: BackendError.self) { try scene.open(third) }
        try working.finish(discarding: false)
        #expect(try scene.workingCount == 0)
        #expect(try scene.names == ["B.cabinet", "C.cabinet", "Look", "Music.cabinet", "Working"])
    }

    @Test func editsLeftOfAnotherFileAreNotOverwritten() throws {
        let second = scene.directory.file("B.cabinet")
        try scene.makeFile()
        try scene.makeFile(second)
        let other = try scene.open(second)
        try scene.edit(other.working, "left")
        try other.working.finish(discarding: false)
        let opened = try scene.open()
        #expect(throws: WorkingStore.Refusal.unsavedCommits(path: second)) {
            try opened.working.move(to: second, [])
        }
        #expect(opened.working.path == scene.path)
        try opened.working.move(to: second, [], overwriting: true)
        #expect(try scene.workingCount == 1)
        try opened.working.finish(discarding: false)
    }

    @Test func revertingGoesBackToTheFile() throws {
        try scene.makeFile()
        let working = try scene.open().working
        try scene.edit(working, "one")
        let former = working.backend
        #expect(try working.revert() == nil)
        #expect(try scene.edit(working) == nil)
        #expect(try !working.hasEdits)
        #expect(try former.text(at: 40, in: 2) == "one")
        try former.close()
        try working.endFormer()
        try scene.edit(working, "two")
        try working.save([])
        #expect(try scene.savedEdit() == "two")
        try working.finish(discarding: false)
        #expect(try scene.workingCount == 0)
    }

    @Test func aFileThatWasMovedFindsItsEdits() throws {
        try scene.makeFile()
        let opened = try scene.open()
        try scene.edit(opened.working, "one")
        try opened.working.finish(discarding: false)
        let place = scene.directory.file("Moved.cabinet")
        try FileManager.default.moveItem(atPath: scene.path, toPath: place)
        let again = try scene.open(place)
        #expect(again.unsaved == .init(last: 2, standing: .same))
        try again.working.save([])
        #expect(try scene.savedEdit(place) == "one")
        try again.working.finish(discarding: false)
        #expect(try scene.workingCount == 0)
    }

    @Test func permissionsOfTheFileStay() throws {
        try scene.makeFile()
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: scene.path)
        let working = try scene.open().working
        try scene.edit(working, "one")
        try working.save([])
        let mode = try manager.attributesOfItem(atPath: scene.path)[.posixPermissions] as? Int
        #expect(mode == 0o640)
        try working.finish(discarding: false)
    }
}
