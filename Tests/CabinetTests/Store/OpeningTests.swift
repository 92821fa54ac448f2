import Cabinet
import CabinetTestSupport
import Foundation
import Testing

struct OpeningTests {
    /// The path of an address on the net was taken for one of this machine.
    @Test func onlyAPlaceOnThisMachineWillDo() throws {
        let address = try #require(URL(string: "https://example.org/tmp/Store"))
        #expect(throws: BackendError.notAStore(path: "https://example.org/tmp/Store")) {
            try Store(directory: address, classes: [])
        }
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
