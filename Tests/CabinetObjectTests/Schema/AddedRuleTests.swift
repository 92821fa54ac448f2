import CabinetMemory
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// A relationship whose rule keeps it right only since today.
enum Ruled {
    final class Singer: StoredObject {
        @Field var name = ""
    }
    final class Choir: StoredObject {
        @Field var name = ""
        @Many(onDelete: .nullify, was: "singers") var voices: [Singer]
    }
}

struct AddedRuleTests {
    let backend = MemoryBackend()

    func open(_ classes: StoredObject.Type...) throws -> Store {
        try Store(backend: backend, classes: classes)
    }

    /// A delete before the rule was declared took the object out of no list.
    @Test func whatWasDeletedBeforeIsNotWrong() async throws {
        let old = try open(OneSided.Singer.self, OneSided.Choir.self)
        let (singer, choir) = (OneSided.Singer(), OneSided.Choir())
        choir.singers = [singer]
        old.insert(choir)
        try old.save()
        try old.delete(singer)
        try old.save()
        let store = try open(Ruled.Singer.self, Ruled.Choir.self)
        let another = Ruled.Choir()
        another.voices = [Ruled.Singer()]
        store.insert(another)
        // Also where a save rewrites the record and the list was not read.
        try #require(try store.object(Ruled.Choir.self, rowID: 2)).name = "first"
        try store.save()
        let report = try await store.check()
        #expect(report.isSound && report.counts == [.looseReference: 1])
        #expect(try await StoreSchema.check(backend).counts == report.counts)
    }

    /// Where the rule was there from the first, a reference must lead somewhere.
    @Test func withTheRuleFromTheFirstItIsWrong() async throws {
        let store = try open(Ruled.Singer.self, Ruled.Choir.self)
        let (singer, choir) = (Ruled.Singer(), Ruled.Choir())
        choir.voices = [singer]
        store.insert(choir)
        try store.save()
        for _ in 0..<2 {
            // A further save, of a layout that is known, does not change that.
            try open(Ruled.Singer.self, Ruled.Choir.self).save()
            #expect(try await StoreSchema.check(backend).findings == [])
        }
        let table = try #require(try backend.tables().first { $0.name == "Singer" }).number
        let batch = backend.makeBatch()
        try batch.deleteRow(singer.rowID, in: table)
        try backend.commit(batch)
        let report = try await StoreSchema.check(backend)
        #expect(report.counts == [.danglingReference: 1])
        #expect(report.findings.first?.field == "voices")
    }
}
