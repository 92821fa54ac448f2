import Cabinet
import CabinetTestSupport
import CabinetTokyo
import Foundation
import Synchronization
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

        private final class Poster: StoredObject {
            @Field var text = ""
            override class var indexes: [Index] { [.ordered(\Poster.text)] }
            override class var isEncrypted: Bool { false }
        }

        private final class Diary: StoredObject {
            @Field var text = ""
            override class var indexes: [Index] { [.ordered(\Diary.text)] }
        }

        /// One version of a program has left it unsealed. It belongs to one test: others run beside that.
        private final class Letter: StoredObject {
            @Field var text = ""
            static let wasOpen = Mutex(false)
            override class var isEncrypted: Bool { !wasOpen.withLock { $0 } }
        }

        /// The files in which `text` stands.
        private func files(with text: String, _ directory: URL) throws -> Set<String> {
            Set(
                try FileManager.default.subpathsOfDirectory(atPath: directory.path()).filter {
                    let data = FileManager.default.contents(atPath: directory.path() + "/" + $0)
                    return data?.range(of: Data(text.utf8)) != nil
                })
        }

        @Test func theRecordsOfSingleClassesAreLeftUnsealed() async throws {
            let parent = try TemporaryDirectory()
            let directory = parent.url.appending(path: "Store")
            let classes = [Poster.self, Diary.self] as [StoredObject.Type]
            func open() throws -> Store {
                try Store(directory: directory, classes: classes, key: key)
            }
            var store = try open()
            for _ in 0..<50 {
                let (poster, diary) = (Poster(), Diary())
                (poster.text, diary.text) = ("for all to see", "for me alone")
                store.insert(poster)
                store.insert(diary)
            }
            try store.save()
            let backend = try #require(store.backend as? TokyoBackend)
            try store.indexes.build()
            try await backend.compact()
            try await backend.backup(to: parent.url.appending(path: "Copy").path())
            try await backend.reencrypt()
            #expect(try await backend.check().isSound)
            // In a copy each class may be sealed.
            let copy = try TokyoBackend(path: parent.url.appending(path: "Whole").path(), key: key)
            _ = try await StoreSchema.copy(backend, to: copy)
            #expect(try copy.tables().allSatisfy { !$0.flags.contains(.unsealed) })
            try copy.close()
            try store.close()
            let unsealed = try files(with: "for all to see", directory)
            #expect(unsealed.count == 1 && unsealed.first?.hasPrefix("Poster") == true)
            // The log has them for a file that is lost, and the file is made as it was.
            for name in unsealed {
                try FileManager.default.removeItem(at: directory.appending(path: name))
            }
            store = try open()
            #expect(try store.objects(of: Poster.self).allSatisfy { $0.text == "for all to see" })
            #expect(try store.query(Diary.self).filter { $0.text == "for me alone" }.count() == 50)
            try store.close()
            #expect(try files(with: "for all to see", directory) == unsealed)
            #expect(try files(with: "for me alone", directory).isEmpty)
        }

        @Test func aClassIsNotLeftUnsealedAgainstItsWill() throws {
            let parent = try TemporaryDirectory()
            for (name, key) in [("Sealed", key), ("Plain", nil)] {
                let directory = parent.url.appending(path: name)
                Letter.wasOpen.withLock { $0 = true }
                let store = try Store(directory: directory, classes: [Letter.self], key: key)
                store.insert(Letter())
                try store.save()
                try store.close()
                Letter.wasOpen.withLock { $0 = false }
                func again() throws {
                    try Store(directory: directory, classes: [Letter.self], key: key).close()
                }
                if key == nil {
                    try again()
                } else {
                    #expect(throws: StoreError.leftUnsealed("Letter"), performing: again)
                }
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
