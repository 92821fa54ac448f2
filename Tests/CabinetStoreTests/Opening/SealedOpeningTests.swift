import Cabinet
import CabinetTestSupport
import CabinetTokyo
import Foundation
import Testing

@testable import CabinetTestModel

struct SealedOpeningTests {
    private let key = StoreKey.raw(Array(1...32))

    #if Encryption
        @Test func aStoreOpensWithItsKey() throws {
            let parent = try TemporaryDirectory()
            let directory = parent.url.appending(path: "Library/Music")
            #expect(throws: StoreError.self) {
                try Store(directory: directory, classes: [Tune.self, Unkept.self], key: key)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: parent.url.path()).isEmpty)
            let store = try Store(directory: directory, classes: [Tune.self], key: key)
            store.insert(Tune("a title of a tune"))
            try store.save()
            try store.close()
            #expect(throws: BackendError.self) {
                try Store(directory: directory, classes: [Tune.self])
            }
            let container = try StoreContainer(
                directory: directory, classes: [Tune.self], access: .readOnly, key: key)
            #expect(try container.makeStore().objects(of: Tune.self).count == 1)
            try container.close()
            let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path())
            for name in names {
                let data = FileManager.default.contents(atPath: directory.path() + "/" + name)
                #expect(data?.range(of: Data("a title".utf8)) == nil, "\(name)")
            }
        }
    #else
        @Test func aKeyNeedsTheTrait() throws {
            let directory = try TemporaryDirectory()
            #expect(throws: BackendError.self) {
                try Store(directory: directory.url, classes: [Tune.self], key: key)
            }
        }
    #endif
}
