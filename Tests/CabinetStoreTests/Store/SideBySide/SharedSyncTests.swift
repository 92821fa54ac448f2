import CabinetBackend
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// Stores that save at ``Durability/full`` at the same time.
struct SharedSyncTests {
    private let directory = ScratchDirectory()

    /// A container of as many bookcases as there are stores, from row 2 on, and the threads' errors.
    private func run(
        _ stores: Int, _ files: GatedSyncs, _ body: @escaping @Sendable (Store, Int) throws -> Void
    ) throws -> StoreContainer {
        let backend = try TokyoBackend(path: directory.file("store"), files: files)
        let container = StoreContainer(backend: backend, classes: volumeClasses)
        let first = try container.makeStore()
        for _ in 0..<stores { first.insert(Bookcase()) }
        first.insert(Volume())
        try first.save()
        try first.close()
        files.restart()
        let errors = Guarded<[String]>([])
        let group = DispatchGroup()
        for index in 0..<stores {
            group.enter()
            Thread {
                do {
                    let store = try container.makeStore()
                    try body(store, index)
                    try store.close()
                } catch {
                    errors.withLock { $0.append("\(error)") }
                }
                group.leave()
            }.start()
        }
        group.wait()
        #expect(errors.withLock { $0 } == [])
        return container
    }

    @Test func sixteenStoresNeedOneSyncForSixSaves() throws {
        let files = GatedSyncs(duration: 0.05)
        let saves = 12
        let container = try run(16, files) { store, index in
            let mine = try #require(
                try store.object(Bookcase.self, rowID: RowID(UInt32(2 + index))))
            let others = try store.objects(of: Bookcase.self)
            for save in 1...saves {
                mine.year = save
                if save % 4 == 0 { store.insert(Volume()) }
                try store.save()
                // What others have saved is taken up, and one's own is there.
                guard mine.year == save, others.allSatisfy({ $0.year <= saves }) else {
                    throw CocoaError(.featureUnsupported)
                }
            }
        }
        #expect(files.syncs * 6 <= 16 * saves, "\(files.syncs) syncs")
        let store = try container.makeStore()
        #expect(
            try store.objects(of: Bookcase.self).map(\.year) == Array(repeating: saves, count: 16))
        #expect(try store.objects(of: Volume.self).count == 1 + 16 * saves / 4)
        try container.close()
        let again = try Store(
            directory: URL(filePath: directory.file("store")), classes: volumeClasses)
        #expect(try again.objects(of: Volume.self).count == 1 + 16 * saves / 4)
        try again.close()
    }

    @Test func noUpdateOfOneObjectIsLost() throws {
        let files = GatedSyncs(duration: 0.001)
        let saves = 15
        let container = try run(6, files) { store, _ in
            let shared = try #require(try store.object(Bookcase.self, rowID: 2))
            for _ in 0..<saves {
                while true {
                    shared.year = shared.year + 1
                    do {
                        try store.save()
                        break
                    } catch StoreError.conflict {
                        store.rollback()
                        try store.refresh()
                    }
                }
            }
        }
        let store = try container.makeStore()
        #expect(try store.object(Bookcase.self, rowID: 2)?.year == 6 * saves)
        try container.close()
    }

    @Test func afterAFailedSharedSyncTheChangesArePendingAndCanBeSaved() throws {
        let files = GatedSyncs(duration: 0.002)
        for sync in [3, 5, 8, 9] { files.failSync(sync) }
        let saves = 12
        let failures = Guarded(0)
        let container = try run(8, files) { store, index in
            let mine = try #require(
                try store.object(Bookcase.self, rowID: RowID(UInt32(2 + index))))
            for save in 1...saves {
                mine.year = save
                while store.hasChanges {
                    do {
                        try store.save()
                    } catch is BackendError {
                        failures.withLock { $0 += 1 }
                        guard store.hasChanges, mine.year == save else {
                            throw CocoaError(.featureUnsupported)
                        }
                    }
                }
            }
        }
        #expect(failures.withLock { $0 } > 0)
        let store = try container.makeStore()
        #expect(
            try store.objects(of: Bookcase.self).map(\.year) == Array(repeating: saves, count: 8))
        try container.close()
    }
}
