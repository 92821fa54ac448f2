import CabinetMemory
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

private final class Leaf: StoredObject {
    @Field var note = ""
    override class var storageName: String { "Leaf" }
}

private final class Stem: StoredObject {
    @Field var length = 0
    override class var storageName: String { "Stem" }
}

/// What newer programs have written into the catalog.
struct NewerCatalogTests {
    let bench = SchemaBench()

    /// The entry of two kinds, by hand.
    private func tables(_ first: (state: UInt8, since: UInt8)) -> [UInt8] {
        func text(_ text: String) -> [UInt8] {
            [UInt8(text.utf8.count), 0, 0, 0] + Array(text.utf8)
        }
        func end(_ state: UInt8, _ since: UInt8) -> [UInt8] {
            [1, 0, 0, 0, state, since, 0, 0, 0, 0, 0, 0, 0] + text("as of 2030") + text("")
        }
        return [1, 2, 0]
            + [201] + text("views") + text("Views.Leaf.views-1") + end(first.state, first.since)
            + [202] + text("geo") + text("Geo.Leaf.geo-1") + end(3, 2)
    }

    private func fill() throws -> (leaf: String, stem: String) {
        let store = try bench.open([Leaf.self, Stem.self])
        store.insert(Leaf())
        store.insert(Stem())
        try store.save()
        let leaf = try store.metadata(of: Leaf.self).number
        return ("derived.\(leaf)", "derived.\(1 - leaf)")
    }

    @Test(arguments: [(1, 0, 0), (2, 0, 3), (4, 9, 9), (5, 0, 0), (3, 1, 1), (77, 0, 0)])
    func aSaveLeavesBehindWhatItDoesNotKnow(
        _ state: UInt8, _ since: UInt8, _ sinceAfter: UInt8
    ) throws {
        let (leaf, stem) = try fill()
        try bench.setEntry(leaf, tables((state, since)))
        try bench.setEntry(stem, tables((state, since)))
        let store = try bench.open([Leaf.self, Stem.self])
        #expect(store.basis == 3)
        // Nothing of the class is changed.
        store.namedBuffers["other"] = DataBuffer()
        try store.save()
        #expect(try bench.entry(leaf) == tables((state, since)))
        let basis = UInt8(store.basis.rawValue)
        store.insert(Leaf())
        store.insert(Leaf())
        try store.save()
        let expected = tables((state == 5 ? 5 : 3, sinceAfter == 3 ? basis : sinceAfter))
        #expect(try bench.entry(leaf) == expected)
        #expect(try bench.entry(stem) == tables((state, since)))
        // What is behind stays as it is.
        try store.delete(try #require(try store.objects(of: Leaf.self).first))
        try store.save()
        #expect(try bench.entry(leaf) == expected)
    }

    @Test func twoStoresLeaveThemBehindOnce() throws {
        let (leaf, _) = try fill()
        try bench.setEntry(leaf, tables((2, 0)))
        let one = try bench.open([Leaf.self])
        let other = try bench.open([Leaf.self])
        one.insert(Leaf())
        other.insert(Leaf())
        try one.save()
        let left = try bench.entry(leaf)
        #expect(left == tables((3, 2)))
        try other.save()
        #expect(try bench.entry(leaf) == left)
        #expect(try other.count(of: Leaf.self) == 3)
    }

    @Test func aSaveThatFailsLeavesNothingBehindAndAnUpgradeOrADropDoes() async throws {
        let (leaf, _) = try fill()
        try bench.setEntry(leaf, tables((2, 0)))
        let faulty = FaultyBackend(bench.backend)
        faulty.order { $0.commitFails = true }
        let store = try Store(backend: faulty, classes: [Leaf.self])
        store.insert(Leaf())
        #expect(throws: FaultyBackend.failure) { try store.save() }
        #expect(try bench.entry(leaf) == tables((2, 0)))
        let dropping = try Store(
            backend: bench.backend, classes: [],
            migrations: [Migration("drop", dropping: ["Leaf"]) { _, _ in }])
        try await dropping.migrate()
        #expect(try bench.entry(leaf) == tables((3, 2)))
    }

    @Test func aTypeOfFieldThatIsNotKnownIsATypedErrorThatNamesTheField() throws {
        _ = try fill()
        let number = try #require(try StoreSchema(bench.backend)["Leaf"]?.number)
        func entry(_ type: String) -> [UInt8] {
            [2, 0, 1, 1, 0, 0, 0, 5, 0, 0, 0] + Array("place".utf8)
                + [UInt8(type.utf8.count), 0, 0, 0] + Array(type.utf8)
                + [0, 1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]
        }
        try bench.setEntry("layout/\(number)/7", entry("Vector<Float, 3>"))
        let problem = StoreError.newerFormat(
            class: "Leaf", field: "place", found: "Vector<Float, 3>")
        #expect(throws: problem) { try bench.open([Leaf.self, Stem.self]) }
        let schema = try StoreSchema(bench.backend)
        #expect(schema["Leaf"]?.problem == problem && schema["Stem"]?.problem == nil)
        #expect("\(problem)".contains("'place' of class Leaf is of type Vector<Float, 3>"))
        _ = try bench.open([Stem.self])
        try bench.setEntry("layout/\(number)/7", entry("[Float]"))
        _ = try bench.open([Leaf.self, Stem.self])
    }
}
