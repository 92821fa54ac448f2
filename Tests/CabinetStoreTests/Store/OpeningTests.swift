import Cabinet
import CabinetTestSupport
import CabinetTokyo
import Foundation
import Testing

@testable import CabinetTestModel

struct OpeningTests {
    /// The path of an address on the net was taken for one of this machine.
    @Test func onlyAPlaceOnThisMachineWillDo() throws {
        let address = try #require(URL(string: "https://example.org/tmp/Store"))
        #expect(throws: BackendError.notAStore(path: "https://example.org/tmp/Store")) {
            try Store(directory: address, classes: [])
        }
    }

    /// A store that did not open for its classes left an empty one behind.
    @Test func aStoreThatDoesNotOpenLeavesNoDirectory() throws {
        let storedClass = try TemporaryDirectory()
        let directory = storedClass.url.appending(path: "Library/Music")
        #expect(throws: StoreError.self) {
            try Store(directory: directory, classes: [Tune.self, Unkept.self])
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: storedClass.url.path()).isEmpty)
        let store = try Store(directory: directory, classes: [Tune.self])
        store.insert(Tune("a"))
        try store.save()
        try store.close()
        #expect(throws: StoreError.self) {
            try Store(directory: directory, classes: [Tune.self, Unkept.self])
        }
        #expect(try Store(directory: directory, classes: [Tune.self]).count(of: Tune.self) == 1)
    }

    /// The records of declared fields need the catalog, which was in the log.
    @Test func objectsAreSalvagedWithoutTheLog() async throws {
        let storedClass = try TemporaryDirectory()
        let directory = storedClass.url.appending(path: "Music")
        let classes: [StoredObject.Type] = [Track.self, Everything.self, Tune.self, TuneList.self]
        let store = try Store(directory: directory, classes: classes)
        let full = Everything()
        full.fill()
        let list = TuneList()
        list.tunes = [Tune("a"), Tune("b")]
        for object in [full, list, Track("c", seconds: 7)] as [StoredObject] {
            store.insert(object)
        }
        try store.save()
        try store.close()
        try FileManager.default.removeItem(at: directory.appending(path: "Journal"))
        let path = directory.path(percentEncoded: false)
        #expect(throws: BackendError.logMissing(path: path)) {
            try Store(directory: directory, classes: classes)
        }
        let saved = storedClass.url.appending(path: "Saved")
        _ = try await TokyoBackend.salvage(
            from: path, into: saved.path(percentEncoded: false))
        // Registered in another order, they would get other numbers.
        let again = try Store(directory: saved, classes: classes.reversed())
        let found = try #require(try again.objects(of: Everything.self).first)
        #expect(found.data == full.data && found.counts == full.counts && found.mood == .wild)
        #expect(try again.objects(of: TuneList.self).first?.tunes.map(\.title) == ["a", "b"])
        #expect(try again.objects(of: Track.self).map(\.seconds) == [7])
        #expect(try await again.check().isSound)
    }

    @Test func aClassMayBeNamedTwice() throws {
        let store = try Store(inMemory: [Tune.self, TuneList.self, Tune.self])
        store.insert(Tune("a"))
        try store.save()
        #expect(try store.count(of: Tune.self) == 1)
    }

    @Test func readingOnlyNothingIsInsertedAndNothingMade() throws {
        let temporary = try TemporaryStore([Tune.self])
        temporary.store.insert(Tune("a"))
        try temporary.store.save()
        let path = temporary.directory.path(percentEncoded: false)
        let store = try temporary.reopen(access: .readOnly)
        let tune = Tune("b")
        store.insert(tune)
        #expect(tune.store == nil)
        #expect(throws: BackendError.readOnly(path: path)) { try store.save() }
        store.rollback()
        // A program opens a directory once at a time, for whatever purpose.
        #expect(throws: BackendError.busy(path: path, holder: "this process")) {
            try Store(directory: temporary.directory, classes: [Tune.self], access: .readOnly)
        }
        let missing = temporary.directory.appending(path: "Missing")
        #expect(throws: BackendError.self) {
            try Store(directory: missing, classes: [Tune.self], access: .readOnly)
        }
        #expect(!FileManager.default.fileExists(atPath: missing.path(percentEncoded: false)))
    }
}
