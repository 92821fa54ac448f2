import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// A store saves and reads while others are opened and closed beside it, on other threads: it reads as of its
/// basis, its own saves included.
struct OpenedBesideTests {
    /// Once, it read from before its own save for good, and what it saved then broke indexes.
    @Test func aSaveWhileAnotherStoreIsOpenedIsRead() throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let store = try Store(backend: backend, classes: [Pan.self])
        store.insert(Pan())
        try store.save()
        let (isFrozen, isOpen) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        backend.order {
            $0.afterSnapshot = {
                isFrozen.signal()
                while (try? backend.lastCommit()) ?? 2 < 2 { usleep(1000) }
                // The store may learn that its commit is made.
                usleep(20_000)
            }
        }
        Thread {
            try? Store(backend: backend, classes: [Pan.self]).close()
            isOpen.signal()
        }.start()
        isFrozen.wait()
        store.insert(Pan())
        try store.save()
        isOpen.wait()
        #expect(try store.count(of: Pan.self) == 2)
        #expect(try store.objects(of: Pan.self).count == 2)
        #expect(try store.query(Pan.self).filter { $0.weight == 0 }.count() == 2)
    }

    @Test(arguments: [false, true])
    func countsAndIndexesAreAsOfTheBasis(inMemory: Bool) throws {
        let directory = try TemporaryDirectory()
        let backend: any Backend =
            inMemory
            ? MemoryBackend()
            : try TokyoBackend(path: directory.path + "/Store", durability: .process)
        let store = try Store(backend: backend, classes: [Pan.self, Weight.self])
        let pans = (0..<8).map { _ in Pan() }
        for pan in pans { store.insert(pan) }
        try store.save()
        let (isOver, isDone) = (Guarded(false), DispatchSemaphore(value: 0))
        Thread {
            defer { isDone.signal() }
            var random = SeededRandom(seed: RunSetting.seed)
            while !isOver.withLock({ $0 }) {
                guard let other = try? Store(backend: backend, classes: [Pan.self, Weight.self])
                else {
                    Issue.record("no store can be opened")
                    return
                }
                if random.once(in: 2) {
                    other.insert(Pan())
                    other.insert(Weight())
                    #expect(throws: Never.self) { try other.save() }
                }
                #expect(throws: Never.self) { try other.close() }
            }
        }.start()
        var random = SeededRandom(seed: RunSetting.seed &+ 1)
        for round in 1...RunSetting.repetitions(2400) {
            pans[random.below(pans.count)].weight += 1
            try store.save()
            let count = try store.count(of: Pan.self)
            #expect(try count == pans.count + store.count(of: Weight.self))
            #expect(try store.objects(of: Pan.self).count == count)
            #expect(try store.query(Pan.self).sum(\.weight) == round)
        }
        isOver.withLock { $0 = true }
        isDone.wait()
        let last = try Store(backend: backend, classes: [Pan.self, Weight.self])
        let weights = try last.objects(of: Pan.self).map(\.weight)
        for weight in Set(weights) {
            let found = try last.query(Pan.self).filter { $0.weight == weight }.count()
            #expect(found == weights.count { $0 == weight })
        }
    }

    private final class Pan: StoredObject {
        @Field var weight = 0
        override class var storageName: String { "Beside_Pan" }
        override class var indexes: [Index] { [.ordered(\Pan.weight)] }
    }

    private final class Weight: StoredObject {
        override class var storageName: String { "Beside_Weight" }
    }
}
