import CabinetMemory
import Testing

@testable import Cabinet

/// Stores whose basis the engine has given up, as what others replaced took too much room.
struct OldBasisTests {
    private let backend = MemoryBackend(snapshots: SnapshotLimits(memory: 4096, total: 16_384))

    private func fill() throws -> (behind: Store, ahead: Store, pending: Bookcase) {
        let container = StoreContainer(backend: backend, classes: volumeClasses)
        let behind = try container.makeStore()
        let pending = Bookcase()
        behind.insert(pending)
        for _ in 0..<100 { behind.insert(Volume()) }
        try behind.save()
        let ahead = try container.makeStore()
        pending.year = 1
        let volumes = try ahead.objects(of: Volume.self)
        for round in 0..<100 {
            for volume in volumes { volume.title = String(repeating: "x", count: 50 + round) }
            try ahead.save()
        }
        return (behind, ahead, pending)
    }

    @Test func advancingMakesTheStoreWholeAgain() throws {
        let (behind, ahead, pending) = try fill()
        #expect(throws: BackendError.self) { try behind.objects(of: Volume.self) }
        try behind.refresh()
        #expect(try behind.objects(of: Volume.self).allSatisfy { $0.title.count == 149 })
        #expect(pending.year == 1 && behind.hasChanges)
        // What the others have changed is not known any more, so it may have been this object.
        #expect(throws: StoreError.self) { try behind.save() }
        try behind.save(onConflict: .mine)
        try ahead.refresh()
        #expect(try ahead.objects(of: Bookcase.self).first?.year == 1)
    }

    @Test func aSaveCatchesUpAndFindsConflictsAllTheSame() throws {
        let (behind, ahead, pending) = try fill()
        try #require(try ahead.objects(of: Bookcase.self).first).year = 2
        try ahead.save()
        #expect(throws: StoreError.self) { try behind.save() }
        #expect(pending.year == 1)
        try behind.save(onConflict: .mine)
        try ahead.refresh()
        #expect(try ahead.objects(of: Bookcase.self).first?.year == 1)
    }

    @Test func openSnapshotsSayWhereTheirStoresWereMade() throws {
        let container = StoreContainer(backend: backend, classes: volumeClasses)
        let line = #line + 1
        let here = try container.makeStore()
        let stores = [here, try container.makeStore(fileID: "Here", line: 7)]
        stores[0].insert(Bookcase())
        try stores[0].save()
        let labels = container.openSnapshots.map(\.label)
        #expect(labels.contains("Here:7") && labels.count == 2)
        #expect(labels.contains { $0.hasSuffix("OldBasisTests.swift:\(line)") })
        for store in stores { try store.close() }
        #expect(container.openSnapshots.isEmpty)
    }
}
