import Cabinet
import CabinetBackend
import CabinetMemory
import Testing

@testable import CabinetTestModel

class Named: StoredObject {}
final class TooLong: Named {
    override class var storageName: String { String(repeating: "x", count: 101) }
}
final class LongEnough: Named {
    override class var storageName: String { String(repeating: "x", count: 100) }
}
final class Empty: Named { override class var storageName: String { "" } }
final class Dotted: Named { override class var storageName: String { "a.b" } }
final class Accented: Named { override class var storageName: String { "é" } }
final class Climber: Named { override class var storageName: String { "../x" } }
final class Reserved: Named { override class var storageName: String { "NAMEDbuffers" } }
final class Journal: Named {}
final class Loud: Named { override class var storageName: String { "SONG" } }
final class WasNote: Named { override class var formerStorageNames: [String] { ["Note"] } }
final class Generic<Value>: Named { override class var storageName: String { "G\(Value.self)" } }

struct RegistrationTests {
    let backend = MemoryBackend()

    func open(_ classes: [StoredObject.Type]) throws -> Store {
        try Store(backend: backend, classes: classes)
    }

    @Test(
        arguments: [
            TooLong.self, Empty.self, Dotted.self, Accented.self, Climber.self, Reserved.self,
            Journal.self,
        ] as [Named.Type])
    func badNamesAreRefused(_ type: Named.Type) throws {
        let expected = StoreError.badStorageName(type.storageName)
        #expect(throws: expected) { try open([Song.self, type]) }
        #expect(expected.description.contains("Override storageName"))
        _ = try open([Song.self]).count(of: Song.self)
    }

    @Test func namesAreUniqueIgnoringCase() throws {
        let shared = StoreError.sharedStorageName(
            "SONG", classes: ["CabinetTestModel.Song", "CabinetObjectTests.Loud"])
        #expect(throws: shared) { try open([Song.self, Loud.self]) }
        #expect(
            shared.description == "The classes CabinetTestModel.Song and "
                + "CabinetObjectTests.Loud have one storage name, 'SONG'. Open the store with one "
                + "of them, or override storageName.")
        _ = try open([Song.self, Song.self, LongEnough.self])
        #expect(Song.storageName == "Song", "the class's name without its module")
    }

    @Test func aClassKeepsItsTableUnderItsNewName() throws {
        do {
            let store = try open([NoteOfYear2.self])
            let note = NoteOfYear2()
            note.title = "old"
            store.insert(note)
            try store.save()
        }
        let store = try open([Memo.self])
        #expect(try store.object(Memo.self, rowID: 2)?.title == "old")
        #expect(try backend.table("Note") != nil, "nothing was written yet")
        store.insert(Memo())
        try store.save()
        #expect(try backend.table("Note") == nil)
        #expect(try backend.tables().map(\.name) == ["Memo"])
        #expect(try store.objects(of: Memo.self).map(\.rowID).contains(2))
        #expect(try open([Memo.self]).count(of: Memo.self) == 2)
    }

    @Test func aFormerNameThatIsInUseIsNotTakenOver() throws {
        do {
            let store = try open([NoteOfYear2.self])
            store.insert(NoteOfYear2())
            try store.save()
        }
        let store = try open([Memo.self, NoteOfYear2.self])
        #expect(try store.count(of: Memo.self) == 0)
        #expect(try store.count(of: NoteOfYear2.self) == 1)
    }

    /// The two would have shared one table.
    @Test func twoClassesCannotTakeOverOneName() throws {
        do {
            let store = try open([NoteOfYear2.self])
            store.insert(NoteOfYear2())
            try store.save()
        }
        let shared = StoreError.sharedStorageName(
            "Note", classes: ["CabinetTestModel.Memo", "CabinetObjectTests.WasNote"])
        #expect(throws: shared) {
            try open([Memo.self, WasNote.self])
        }
    }

    @Test func theTwoHundredAndFiftySeventhClassIsRefused() throws {
        let batch = backend.makeBatch()
        for index in 0..<255 {
            let number = try backend.reserveTable()
            try batch.define(
                TableDefinition(
                    number: number, kind: .record, name: "C\(index)", classNumber: UInt8(index)))
        }
        try backend.commit(batch)
        let store = try open([Song.self])
        #expect(try store.metadata(of: Song.self).number == 255)
        #expect(throws: StoreError.tooManyClasses("Playlist")) {
            try open([Song.self, Playlist.self])
        }
        #expect(try backend.tables().count == 255)
    }

    @Test func metadataSaysWhatIsKnown() throws {
        let store = try open([Song.self, NoteOfYear2.self])
        store.insert(NoteOfYear2())
        let before = try store.metadata(of: NoteOfYear2.self)
        #expect(before.storageName == "Note")
        #expect(before.number == 1)
        #expect(before.savedRows == 0)
        #expect(before.liveObjects == 1)
        try store.save()
        let old = try open([NoteOfYear1.self]).metadata(of: NoteOfYear1.self)
        #expect(old.version == 1)
        #expect(old.highestVersion == 2)
        #expect(old.savedRows == 1)
        #expect(old.number == 1)
    }

    @Test func aClassThatIsNotRegisteredIsNamed() throws {
        let store = try open([Song.self])
        let expected = StoreError.classNotRegistered("Playlist")
        #expect(throws: expected) { try store.objects(of: Playlist.self) }
        #expect(throws: expected) { try store.object(Playlist.self, rowID: 2) }
        #expect(throws: expected) { try store.count(of: Playlist.self) }
        #expect(throws: expected) { try store.forEach(Playlist.self) { _ in } }
        #expect(throws: expected) { try store.deleteAll(of: Playlist.self) }
        #expect(throws: expected) { try store.metadata(of: Playlist.self) }
        #expect(throws: expected) { try store.upgradeAll(of: Playlist.self) }
    }

    /// Both classes had number 0 once, and references of any class meant either.
    @Test func storesThatAreOpenedBeforeASaveDoNotTakeANumberTwice() throws {
        let early = try open([Playlist.self])
        let first = try open([Song.self, Playlist.self])
        first.insert(Song("x"))
        try first.save()
        early.insert(Playlist("y"))
        try early.save()
        first.insert(Playlist("z"))
        try first.save()
        let last = try open([Playlist.self, Song.self])
        #expect(try last.objects(of: Playlist.self).map(\.title).sorted() == ["y", "z"])
        #expect(try last.metadata(of: Playlist.self).number == 0)
        #expect(try last.metadata(of: Song.self).number == 1)
    }

    /// A table that is defined without a claim may take a number that a store was given.
    @Test func aNumberThatWasTakenWithoutAClaimIsNotTakenTwice() throws {
        let early = try open([Playlist.self])
        let batch = backend.makeBatch()
        try batch.define(
            TableDefinition(
                number: try backend.reserveTable(), kind: .record, name: "Other", classNumber: 0))
        try backend.commit(batch)
        early.insert(Playlist("y"))
        #expect(throws: StoreError.outdated(class: "Playlist")) { try early.save() }
        #expect(early.hasChanges)
        #expect(try open([Playlist.self]).metadata(of: Playlist.self).number == 1)
    }

    @Test func aStoreKnowsNoVersioningThatItsCatalogDoesNotSay() throws {
        let batch = backend.makeBatch()
        try Array("versioning".utf8).withUnsafeBytes { key in
            try Array("perMoon".utf8).withUnsafeBytes { value in
                try batch.put(value, for: key, in: .catalog)
            }
        }
        try backend.commit(batch)
        #expect(throws: BackendError.corrupt(path: "memory", offset: 0)) { try open([]) }
    }
}
