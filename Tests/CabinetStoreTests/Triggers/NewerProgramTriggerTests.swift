import CabinetBackend
import CabinetMemory
import Testing
import TrustSupport

@testable import Cabinet

/// Triggers after saves, where programs of different versions use a store.
struct NewerProgramTriggerTests {
    private enum Old {
        final class Parcel: StoredObject {
            @Field var weight = 0
        }
    }

    private enum New {
        final class Parcel: StoredObject {
            static let said = Guarded<[String]>([])

            @Field var weight = 0

            override class var triggers: [Trigger] {
                [
                    .after(Parcel.self, named: "weigh") { _, _ in
                        said.withLock { $0.append("call") }
                    }
                ]
            }
        }
    }

    /// Once, it was called for what the migration was still to change.
    @Test func aTriggerWaitsForMigrations() async throws {
        let backend = MemoryBackend()
        let old = try Store(backend: backend, classes: [Old.Parcel.self])
        old.insert(Old.Parcel())
        try old.save()
        let migration = Migration("grams") { store, _ in
            New.Parcel.said.withLock { $0.append("migration") }
        }
        let container = StoreContainer(
            backend: backend, classes: [New.Parcel.self], migrations: [migration])
        let store = try container.makeStore()
        old.insert(Old.Parcel())
        try old.save()
        try await Task.sleep(for: .milliseconds(50))
        try await store.migrate()
        for _ in 0..<12_000 where New.Parcel.said.withLock({ $0.count < 2 }) {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(New.Parcel.said.withLock { $0 } == ["migration", "call"])
        try store.close()
        try old.close()
        try container.close()
    }

    /// Once, an older program took commits for such without events.
    @Test func aTableThatANewerProgramRenamesIsKnown() throws {
        let backend = MemoryBackend()
        let store = try Store(backend: backend, classes: [Old.Parcel.self])
        store.insert(Old.Parcel())
        try store.save()
        let names = TableNames(of: store.classes[0], among: [Old.Parcel.self])
        var table = try #require(try backend.tables().first { $0.kind == .record })
        #expect(names.table(among: [table])?.number == table.number)
        table.name = "Package"
        #expect(names.table(among: [table])?.number == table.number)
        let other = TableDefinition(
            number: 99, kind: .record, name: "Package", classNumber: 9, classVersion: 1)
        #expect(names.table(among: [other]) == nil)
    }
}
