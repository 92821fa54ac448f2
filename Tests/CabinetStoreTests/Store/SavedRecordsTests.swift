import CabinetBackend
import CabinetMemory
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Each record that a commit replaces is read once, with many others.
struct SavedRecordsTests {
    final class Leaf: StoredObject {
        @Field var number = 0
        @Field var text = ""
        override class var storageName: String { "Leaf" }
        override class var indexes: [Index] { [.ordered(\Leaf.number), .ordered(\Leaf.text)] }
        convenience init(_ number: Int, _ text: String = "") {
            self.init()
            (self.number, self.text) = (number, text)
        }
    }
    final class Stone: StoredObject {
        @Field var number = 0
        override class var storageName: String { "Stone" }
    }

    private func makeStore(
        _ backend: FaultyBackend, _ count: Int, text: String = ""
    ) throws -> (Store, [Leaf]) {
        let store = try Store(backend: backend, classes: [Leaf.self, Stone.self])
        let leaves = (0..<count).map { Leaf($0, text) }
        leaves.forEach(store.insert)
        try store.save()
        return (store, leaves)
    }

    private func lookUps(_ backend: FaultyBackend, _ body: () throws -> Void) rethrows -> Int {
        backend.order { $0.lookUps = 0 }
        try body()
        return backend.order { $0.lookUps }
    }

    @Test func aSaveReadsSomeHundredRecordsWithOneCall() throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let (store, leaves) = try makeStore(backend, 1200)
        for (place, leaf) in leaves.enumerated() {
            if place % 100 == 0 { store.insert(Stone()) }
            if place % 3 == 0 { try store.delete(leaf) } else { leaf.number += 5000 }
        }
        #expect(try lookUps(backend, store.save) == 3)
        #expect(try store.indexFindings().isEmpty)
        #expect(try store.count(of: Leaf.self) == 800)
    }

    @Test func newObjectsAndClassesThatNothingFollowsAreNotLookedUp() throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let (store, _) = try makeStore(backend, 10)
        let stone = Stone()
        store.insert(stone)
        try store.save()
        stone.number = 1
        store.insert(Leaf(77))
        #expect(try lookUps(backend, store.save) == 0)
    }

    @Test func recordsThatFillARunAreReadInSeveral() throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let (store, leaves) = try makeStore(
            backend, 30, text: String(repeating: "x", count: 100_000))
        for leaf in leaves { leaf.number += 100 }
        #expect(try (2...15).contains(lookUps(backend, store.save)))
        #expect(try store.indexFindings().isEmpty)
    }

    @Test func aDamagedRecordLeavesTheOthersTheirEntries() throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let (store, leaves) = try makeStore(backend, 20)
        for leaf in leaves { leaf.number += 100 }
        backend.order { $0.damagedRow = leaves[7].rowID }
        try store.save()
        backend.order { $0.damagedRow = nil }
        #expect(try store.objects(of: Leaf.self).map(\.number).min() == 100)
        // What the damaged record had in the indexes is not known.
        let tables = try #require(try store.derived?.allTables().flatMap(\.all))
        #expect(!tables.isEmpty && !tables.contains(where: \.isComplete))
    }

    @Test func followersOfClassesThatAlternateGetTheirFormerRecords() throws {
        let backend = MemoryBackend()
        let store = try Store(backend: backend, classes: [Leaf.self, Stone.self])
        let mirror = try RecordMirror(backend)
        try mirror.register(with: store)
        var all: [StoredObject] = []
        for number in 0..<700 {
            all.append(number % 2 == 0 ? Leaf(number) : Stone())
            store.insert(all[number])
        }
        try store.save()
        for object in all.reversed() {
            (object as? Leaf)?.number += 1
            (object as? Stone)?.number += 1
        }
        try store.save()
        #expect(try mirror.isUpToDate())
    }
}
