import CabinetBackend
import CabinetMemory
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// What history needs of the log is kept while stores are opened and closed.
struct KeptHistoryTests {
    #if DEBUG
        /// Once, a store that was opened while the worker moved history on found the commits before gone, and history
        /// began again without a word.
        @Test func historyGoesOnWhereItIsMovedWhileAStoreIsOpened() async throws {
            let directory = ScratchDirectory(inMemory: true)
            var id: ObjectID<LedgerEntry>?
            for round in 1...60 {
                let container = try StoreContainer(
                    directory: URL(filePath: directory.file("Store")), classes: Books.classes,
                    durability: .process)
                let backend = try #require(container.backend as? TokyoBackend)
                let (passes, failures) = (Guarded(0), Guarded<[String]>([]))
                // In each round at another point, one between its look at what is kept, and that at the log.
                let schedule = Schedule(
                    pass: { point in
                        guard point == .catalog,
                            passes.withLock({ passes in
                                passes += 1
                                return passes == 1 + round % 8
                            })
                        else { return }
                        do {
                            try HistoryMove(backend).move(upTo: backend.lastCommit())
                            try backend.compact()
                        } catch BackendError.conflict {
                            // The worker, which has begun, was first.
                        } catch { failures.withLock { $0.append("\(error)") } }
                    }, leavesOut: { _ in false }, block: { _ in }, expect: { 0 }, join: { _ in })
                schedule.run(0) {
                    do { try container.makeStore().close() } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
                #expect(failures.withLock { $0 } == [])
                let store = try container.makeStore()
                let entry =
                    try store.objects(of: LedgerEntry.self).first ?? LedgerEntry("rent", cents: 0)
                store.insert(entry)
                entry.cents = round
                try store.save()
                id = id ?? entry.objectID
                #expect(try container.history(of: try #require(id)).map(\.commit).count == round)
                try store.close()
                try container.close()
            }
        }

        /// Once, of two stores that were opened first at the same time, the second passed over for its triggers what
        /// had been saved since the first.
        @Test func whatAnotherStoreHasBegunToKeepIsNotBegunAgain() throws {
            let backend = MemoryBackend()
            let (isFirst, begun) = (Guarded(true), Guarded<ChangePosition?>(nil))
            let schedule = Schedule(
                pass: { point in
                    guard point == .catalog,
                        isFirst.withLock({ isFirst in
                            defer { isFirst = false }
                            return isFirst
                        })
                    else { return }
                    let keeping = try? backend.keepOn("reader", limit: 1 << 20)
                    begun.withLock { $0 = try? backend.keptChanges(for: "reader")?.position }
                    #expect(keeping == .begun)
                    // Another commit, which the reader is to read.
                    _ = try? backend.keepOn("other", limit: 1 << 20)
                }, leavesOut: { _ in false }, block: { _ in }, expect: { 0 }, join: { _ in })
            var keeping: Keeping?
            schedule.run(0) { keeping = try? backend.keepOn("reader", limit: 1 << 20) }
            #expect(keeping == .kept)
            let kept = try #require(try backend.keptChanges(for: "reader"))
            #expect(
                try kept.position == begun.withLock { $0 } && kept.position != backend.position())
        }
    #endif
}
