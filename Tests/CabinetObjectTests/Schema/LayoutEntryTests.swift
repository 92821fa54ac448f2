import CabinetMemory
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

private final class Leaf: StoredObject {
    @Field var note = ""
    @One(inverse: \Stem.leaves) var stem: Stem?
    override class var storageName: String { "Leaf" }
}

private final class Stem: StoredObject {
    @Many(onDelete: .cascade) var leaves: [Leaf]
    override class var storageName: String { "Stem" }
}

/// The entries of the catalog for layouts: each layout has one, and each class one more with each
/// change.
struct LayoutEntryTests {
    let bench = SchemaBench()

    private func text(_ text: String) -> [UInt8] {
        let count = UInt32(text.utf8.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + Array(text.utf8)
    }

    @Test func entriesAreAsTheFormatSays() throws {
        let store = try bench.open([Leaf.self, Stem.self])
        store.insert(Leaf())
        try store.save()
        let leaf: [UInt8] =
            [2, 1, 1, 2, 0, 0, 0] + text("note") + text("String") + [0]
            + [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0] + text("stem") + text("One<Stem>")
            + [3, 1, 1, 0, 0, 0, 1] + text("leaves") + [0, 0, 0, 0]
            + [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]
        #expect(try bench.entry("layout/0/1") == leaf)
        #expect(
            try bench.entry("relations/0/1")
                == [1, 1, 0, 1, 0, 0, 0] + text("stem") + [4] + text("leaves") + [0, 0, 0, 0])
        #expect(
            try bench.entry("relations/1/1") == [1, 1, 0, 1, 0, 0, 0] + text("leaves") + [5]
                + text("cascade") + text("stem") + [0, 0, 0, 0])
        let keys = try bench.catalogKeys()
        store.insert(Leaf())
        try store.save()
        #expect(try bench.catalogKeys() == keys)
    }

    /// Salvage may find a part of the entries.
    @Test func numbersOfLostLayoutsAreNotUsedAgain() throws {
        for type in [First.Item.self, Second.Item.self] as [StoredObject.Type] {
            let store = try bench.open([type])
            store.insert(type.init())
            try store.save()
        }
        try bench.setEntry("layout/0/2", nil)
        let store = try bench.open([Fourth.Item.self])
        #expect(throws: StoreError.self) { try store.objects(of: Fourth.Item.self) }
        store.insert(Fourth.Item())
        try store.save()
        #expect(try bench.entry("layout/0/2") == nil && bench.entry("layout/0/3") != nil)
    }

    @Test func lostRelationsAreWrittenAnew() throws {
        let store = try bench.open([Leaf.self, Stem.self])
        store.insert(Leaf())
        try store.save()
        let relations = try bench.entry("relations/1/1")
        try bench.setEntry("relations/1/1", nil)
        let again = try bench.open([Leaf.self, Stem.self])
        again.insert(Stem())
        try again.save()
        #expect(try bench.entry("relations/1/1") == relations)
        #expect(try bench.entry("layout/1/2") == nil)
    }

    @Test(arguments: ["layout/0/1", "relations/0/1"])
    func damagedEntriesAreTypedErrors(_ key: String) throws {
        let store = try bench.open([Leaf.self, Stem.self])
        store.insert(Leaf())
        try store.save()
        let bytes = try #require(try bench.entry(key))
        func problem() throws -> StoreError? {
            let problem = try StoreSchema(bench.backend)["Leaf"]?.problem
            do {
                _ = try bench.open([Leaf.self, Stem.self])
                #expect(problem == nil)
            } catch let error as StoreError { #expect(problem == error) }
            return problem
        }
        for count in 0..<bytes.count {
            try bench.setEntry(key, Array(bytes[..<count]))
            guard case .badCatalog("Leaf", _)? = try problem() else {
                Issue.record("\(count) bytes were taken")
                continue
            }
        }
        for wrong in [bytes + [0], [3] + bytes.dropFirst()] {
            try bench.setEntry(key, wrong)
            guard case .badCatalog("Leaf", _)? = try problem() else {
                Issue.record("wrong bytes were taken")
                continue
            }
        }
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<RunSetting.repetitions(2_000) {
            var mutant = bytes
            for _ in 0...Int(random.next() % 3) {
                let place = Int(random.next() % UInt64(mutant.count))
                mutant[place] = UInt8(truncatingIfNeeded: random.next())
            }
            try bench.setEntry(key, mutant)
            guard try problem() == nil else { continue }
            do {
                let store = try bench.open([Leaf.self, Stem.self])
                _ = try store.objects(of: Leaf.self)
                store.insert(Leaf())
                try store.save()
                try store.delete(try #require(try store.objects(of: Leaf.self).last))
                try store.save()
                for name in try bench.catalogKeys() where name != key {
                    let isNew = name.hasPrefix("relations/0/") || name.hasPrefix("layout/0/")
                    if isNew, name != "layout/0/1", name != "relations/0/1" {
                        try bench.setEntry(name, nil)
                    }
                }
            } catch is StoreError {}
        }
    }

    @Test func otherNamesAreNoEntries() throws {
        for name in [
            "layout/256/1", "layout/0/65536", "layout/00/1", "layout/0/+1", "layout/0",
            "layout/0/1/",
            "relations/0/4294967296", "layouts.0", "rows/5", "", "l", "layout//",
        ] {
            #expect(Array(name.utf8).withUnsafeBytes { CatalogName($0) } == nil, "\(name)")
        }
        let names: [CatalogName] = [
            .layout(65535, ofClass: 255), .relations(.max, ofClass: 0),
        ]
        for name in names {
            #expect(Array(name.text.utf8).withUnsafeBytes { CatalogName($0) } == name)
        }
    }
}
