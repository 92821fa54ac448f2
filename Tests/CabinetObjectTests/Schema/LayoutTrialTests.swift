import Cabinet
import CabinetMemory
import Foundation
import Testing

@testable import CabinetTestModel

/// A class whose value is of another type in every program that declares it.
final class Shape<Value: BufferValue & Codable>: StoredObject {
    @Field var name = ""
    @Field var value: Value?
    override class var storageName: String { "Shape" }
    override func upgrade(from record: RawRecord) throws {
        if name.isEmpty { name = "none" }
    }
}

/// A class that will not have what earlier programs wrote.
enum Refusing {
    struct Refusal: Error {}
    final class Item: StoredObject {
        @Field var price = ""
        override func upgrade(from record: RawRecord) throws {
            let cents = try record.value("price", as: Int32.self) ?? 0
            if cents == 0 { throw Refusal() }
            price = "\(cents)"
        }
    }
}

struct LayoutTrialTests {
    let bench = SchemaBench()
    var backend: MemoryBackend { bench.backend }

    func open(_ classes: StoredObject.Type...) throws -> Store { try bench.open(classes) }

    func record(_ row: RowID) throws -> [UInt8] { try bench.record(row) }

    /// Three items of the first program, the second of them with a price.
    func writeFirst() throws -> [RowID] {
        let store = try open(First.Item.self)
        let items = (0..<3).map { _ in First.Item() }
        items.forEach(store.insert)
        items[1].price = 1999
        items[0].parent = items[1]
        try store.save()
        return withExtendedLifetime(store) { items.map(\.rowID) }
    }

    /// Saves a shape whose value is of the type that the bits of `code` say: arrays and
    /// dictionaries of each other, `depth` deep.
    func shape<Value: BufferValue & Codable>(
        _ type: Value.Type, _ code: Int, depth: Int, name: String
    ) throws -> RowID {
        guard depth == 0 else {
            return code % 2 == 0
                ? try shape([Value].self, code / 2, depth: depth - 1, name: name)
                : try shape([String: Value].self, code / 2, depth: depth - 1, name: name)
        }
        let store = try open(Shape<Value>.self)
        let shape = Shape<Value>()
        shape.name = name
        store.insert(shape)
        try store.save()
        return withExtendedLifetime(store) { shape.rowID }
    }

    @Test func threeHundredLayoutsOfOneClassAreToldApart() throws {
        let rows = try (0..<300).map { try shape(Int.self, $0, depth: 9, name: "\($0)") }
        let first = try rows.prefix(3).map { try record($0)[0] }
        #expect(first == [1, 2, 3])
        #expect(try record(rows[253])[0] == 254)
        #expect(try record(rows[254])[..<3] == [255, 255, 0])
        #expect(try record(rows[299])[..<3] == [255, 44, 1])
        let store = try open(Shape<Int>.self)
        let names = try rows.map { try store.object(Shape<Int>.self, rowID: $0)?.name }
        #expect(names == (0..<300).map { "\($0)" })
        let last = try #require(try store.object(Shape<Int>.self, rowID: rows[299]))
        last.value = 7
        try store.save()
        #expect(try record(rows[299])[..<3] == [255, 45, 1])
        #expect(try store.upgradeAll(of: Shape<Int>.self) == 299)
        let numbers = try rows.map { Array(try record($0)[..<3]) }
        #expect(Set(numbers) == [[255, 45, 1]])
        #expect(try open(Shape<Int>.self).object(Shape<Int>.self, rowID: rows[299])?.value == 7)
    }

    @Test func anUpgradeThatThrowsLosesNothing() throws {
        let rows = try writeFirst()
        let before = try rows.map(record)
        let store = try open(Refusing.Item.self)
        #expect(throws: StoreError.self) { try store.objects(of: Refusing.Item.self) }
        #expect(throws: StoreError.self) {
            try store.object(Refusing.Item.self, rowID: rows[0])
        }
        #expect(throws: StoreError.self) { try store.upgradeAll(of: Refusing.Item.self) }
        #expect(throws: StoreError.self) { try store.upgradeAll() }
        let good = try #require(try store.object(Refusing.Item.self, rowID: rows[1]))
        #expect(good.price == "1999")
        #expect(try rows.map(record) == before && !store.hasChanges)
        good.price = "20"
        try store.save()
        #expect(try record(rows[1]) != before[1])
        let items = try #require(try open(First.Item.self).object(First.Item.self, rowID: rows[0]))
        #expect(try record(rows[0]) == before[0] && items.secret == "gone")
    }

    @Test func whatRefusedOnceIsNeverWritten() throws {
        let rows = try writeFirst()
        let store = try open(Refusing.Item.self, Link.self)
        #expect(throws: StoreError.self) { try store.objects(of: Refusing.Item.self) }
        var met: Refusing.Item?
        do {
            try store.forEach(Refusing.Item.self) { met = $0 }
        } catch {}
        #expect(met == nil)
        let before = try record(rows[0])
        let buffer = DataBuffer()
        store.namedBuffers["one"] = buffer
        try store.save()
        #expect(try record(rows[0]) == before)
    }

    @Test func progressCountsRecordsAndCancels() throws {
        let rows = try writeFirst()
        let store = try open(Second.Item.self)
        let cancelled = Progress(totalUnitCount: 1)
        cancelled.cancel()
        #expect(throws: CancellationError.self) {
            try store.upgradeAll(of: Second.Item.self, progress: cancelled)
        }
        #expect(try rows.map { try record($0)[0] } == [1, 1, 1])
        let pending = try #require(try store.object(Second.Item.self, rowID: rows[2]))
        pending.added = "pending"
        let progress = Progress(totalUnitCount: 1)
        #expect(try store.upgradeAll(of: Second.Item.self, progress: progress) == 2)
        #expect(progress.totalUnitCount == 3 && progress.completedUnitCount == 3)
        #expect(try rows.map { try record($0)[0] } == [2, 2, 1])
        try store.save()
        #expect(try rows.map { try record($0)[0] } == [2, 2, 2])
        let all = Progress(totalUnitCount: 1)
        #expect(try store.upgradeAll(progress: all) == 0 && all.fractionCompleted == 1)
        let items = try open(Second.Item.self).objects(of: Second.Item.self)
        #expect(items.map(\.price) == [0, 1999, 0] && items[2].added == "pending")
        #expect(items[0].parent === items[1])
    }

    @Test func twoDeclaredClassesCannotHaveOneName() throws {
        _ = try writeFirst()
        let classes = ["CabinetTestModel.First.Item", "CabinetTestModel.Second.Item"]
        #expect(throws: StoreError.sharedStorageName("Item", classes: classes)) {
            try open(First.Item.self, Second.Item.self)
        }
        #expect(try open(First.Item.self).count(of: First.Item.self) == 3)
    }

    @Test func aRelationshipToAClassThatIsNotRegisteredIsRefusedWhenUsed() throws {
        let store = try open(TuneList.self)
        let list = TuneList()
        store.insert(list)
        try store.save()
        list.tunes = [Tune("a")]
        #expect(throws: StoreError.classNotRegistered("Tune")) { try store.save() }
        store.rollback()
        #expect(list.tunes.isEmpty && !store.hasChanges)

        // What a program that knows both has saved is not dropped by one that does not.
        let both = try Store(backend: backend, classes: tunes)
        let same = try #require(try both.object(TuneList.self, rowID: list.rowID))
        same.tunes = [Tune("b")]
        try both.save()
        let one = try open(TuneList.self)
        #expect(throws: StoreError.classNotRegistered("Tune")) {
            try one.object(TuneList.self, rowID: list.rowID)
        }
        try one.save()
        let again = try Store(backend: backend, classes: tunes)
        #expect(try again.objects(of: TuneList.self)[0].tunes.map(\.title) == ["b"])
    }
}
