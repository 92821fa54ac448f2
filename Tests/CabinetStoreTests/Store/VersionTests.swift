import Cabinet
import CabinetMemory
import Foundation
import Testing

@testable import CabinetTestModel

struct VersionTests {
    let backend = FaultyBackend()

    func open(
        _ classes: [StoredObject.Type], _ versioning: Versioning = .perInstance
    ) throws -> Store {
        try Store(backend: backend, classes: classes, versioning: versioning)
    }

    func fill(_ count: Int, _ versioning: Versioning = .perInstance, padding: Int = 0) throws {
        let store = try open([NoteOfYear1.self], versioning)
        for index in 0..<count {
            let note = NoteOfYear1()
            note.title = "\(index)" + String(repeating: " ", count: padding)
            store.insert(note)
        }
        try store.save()
    }

    func versions(_ store: Store) throws -> [UInt8: Int] {
        var found: [UInt8: Int] = [:]
        try store.forEachRecordVersion(NoteOfYear2.self) { _, version, _ in
            found[version, default: 0] += 1
        }
        return found
    }

    @Test func anOldRecordIsReadAndRewrittenWhenNextSaved() throws {
        try fill(2)
        let store = try open([NoteOfYear2.self])
        let note = try #require(try store.object(NoteOfYear2.self, rowID: 2))
        #expect(note.versionRead == 1)
        #expect(note.body == "empty")
        #expect(!store.hasChanges)
        #expect(try backend.record(2, of: "Note") == [1] + "0".counted)
        note.body = "full"
        try store.save()
        #expect(try backend.record(2, of: "Note") == [2] + "0".counted + "full".counted)
        #expect(try backend.record(3, of: "Note") == [1] + "1".counted)
        #expect(try versions(store) == [1: 1, 2: 1])
        #expect(try store.metadata(of: NoteOfYear2.self).highestVersion == 2)
    }

    @Test func anUpgradeRewritesTheOldAndOnlyThem() throws {
        try fill(30)
        let store = try open([NoteOfYear2.self])
        let pending = try #require(try store.object(NoteOfYear2.self, rowID: 2))
        pending.title = "pending"
        let progress = Progress(totalUnitCount: 0)
        #expect(try store.upgradeAll(of: NoteOfYear2.self, progress: progress) == 29)
        #expect(progress.isFinished)
        #expect(progress.totalUnitCount == 30)
        #expect(try versions(store) == [1: 1, 2: 29])
        #expect(pending.isChanged)
        #expect(try backend.record(2, of: "Note") == [1] + "0".counted)
        store.rollback()
        #expect(pending.title == "0")
        #expect(try store.upgradeAll() == 1)
        #expect(try store.upgradeAll() == 0)
        #expect(try versions(store) == [2: 30])
    }

    @Test func aCancelledUpgradeGoesOnLater() throws {
        try fill(12_000, padding: 60)
        let store = try open([NoteOfYear2.self])
        let progress = Progress(totalUnitCount: 0)
        progress.cancel()
        #expect(throws: CancellationError.self) {
            try store.upgradeAll(of: NoteOfYear2.self, progress: progress)
        }
        #expect(throws: CancellationError.self) { try store.upgradeAll(progress: progress) }
        #expect(try versions(store) == [1: 12_000])
        #expect(try store.upgradeAll(progress: Progress(totalUnitCount: 0)) == 12_000)
        #expect(try versions(store) == [2: 12_000])
    }

    @Test func anUpgradeThatFailsHalfWayLeavesAValidStore() throws {
        try fill(12_000)
        let store = try open([NoteOfYear2.self])
        backend.order { $0.commitsLeft = 1 }
        #expect(throws: FaultyBackend.failure) { try store.upgradeAll() }
        #expect(try versions(store) == [1: 2_000, 2: 10_000])
        backend.order { $0.commitsLeft = nil }
        #expect(try store.upgradeAll() == 2_000)
        #expect(try open([NoteOfYear2.self]).objects(of: NoteOfYear2.self).count == 12_000)
    }

    @Test func anUpgradeStopsAtARecordThatCannotBeRead() throws {
        try fill(3)
        try backend.put([1, 9], at: 3, of: "Note")
        let store = try open([NoteOfYear2.self])
        #expect(throws: StoreError.self) { try store.upgradeAll() }
        #expect(try backend.record(3, of: "Note") == [1, 9])
        #expect(try versions(store)[1] == 3)
    }

    @Test func oneVersionForAClassHasNoByteInItsRecords() throws {
        try fill(2, .perClass)
        #expect(try backend.record(2, of: "Note") == "0".counted)
        let store = try open([NoteOfYear2.self])
        let note = try #require(try store.object(NoteOfYear2.self, rowID: 2))
        #expect(note.versionRead == 1)
        note.body = "full"
        try store.save()
        #expect(try backend.record(2, of: "Note") == "0".counted + "full".counted)
        #expect(
            try backend.record(3, of: "Note") == "1".counted + "empty".counted,
            "all records of a class change with its version")
        let again = try open([NoteOfYear2.self])
        #expect(try again.objects(of: NoteOfYear2.self).map(\.body) == ["full", "empty"])
        let old = try open([NoteOfYear1.self])
        #expect(
            throws: StoreError.newerVersion(class: "Note", row: 2, found: 2, known: 1)
        ) { try old.object(NoteOfYear1.self, rowID: 2) }
    }

    /// The class's version rose, and the record of a pending object was left as it had been.
    @Test func anUpgradeOfAWholeClassTakesPendingObjectsAlong() throws {
        try fill(3, .perClass)
        let store = try open([NoteOfYear2.self])
        let edited = try #require(try store.object(NoteOfYear2.self, rowID: 2))
        let deleted = try #require(try store.object(NoteOfYear2.self, rowID: 3))
        edited.title = "edited"
        try store.delete(deleted)
        #expect(try store.upgradeAll() == 3)
        #expect(edited.title == "edited")
        #expect(deleted.isDeleted)
        store.rollback()
        #expect(edited.title == "0")
        #expect(deleted.title == "1")
        #expect(edited.body == "empty")
        #expect(try backend.record(2, of: "Note") == "0".counted + "empty".counted)
        #expect(try store.upgradeAll() == 0)
    }

    @Test func theCatalogsVersioningIsInForce() throws {
        try fill(1, .perClass)
        let store = try open([NoteOfYear1.self], .perInstance)
        #expect(try store.object(NoteOfYear1.self, rowID: 2)?.title == "0")
        let buffer = DataBuffer()
        let isThere = try Array("versioning".utf8).withUnsafeBytes { key throws in
            try backend.value(forKey: key, in: .catalog, into: buffer)
        }
        #expect(isThere)
        #expect(buffer.withUnsafeBytes { Array($0) } == Array("perClass".utf8))
    }

    /// Once, a store that was open did not learn of it: it read the records as older ones, and rewrote all.
    @Test func aStoreLearnsThatAnotherHasUpgradedTheClass() throws {
        let backend = MemoryBackend()
        func open(_ type: StoredObject.Type) throws -> Store {
            try Store(backend: backend, classes: [type], versioning: .perClass)
        }
        let first = try open(NoteOfYear1.self)
        for number in 0..<3 {
            let note = NoteOfYear1()
            note.title = "\(number)"
            first.insert(note)
        }
        try first.save()
        let stores = try (0..<2).map { _ in try open(NoteOfYear2.self) }
        let row = try #require(try stores[0].objects(of: NoteOfYear2.self).first).rowID
        for (index, store) in stores.enumerated() {
            try store.refresh()
            let note = try #require(try store.object(NoteOfYear2.self, rowID: row))
            #expect(note.body == (index == 0 ? "empty" : "body 0"))
            note.body = "body \(index)"
            try store.save()
        }
        let last = try open(NoteOfYear2.self)
        let notes = try last.objects(of: NoteOfYear2.self)
        #expect(notes.map(\.body) == ["body 1", "empty", "empty"])
        #expect(notes.map(\.title) == ["0", "1", "2"])
    }
}
