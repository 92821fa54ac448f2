import CabinetBackend
import CabinetMemory
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// A save in the background whose commit must be tried again, as others have committed, and a rollback before
/// that.
@MainActor
struct RolledBackSaveTests {
    /// Once, the save ended without an error, and nothing of it was saved.
    @Test(arguments: [false, true]) func itIsNotSavedAndSaysSo(ofOneObject: Bool) async throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let store = try Store(backend: backend, classes: volumeClasses)
        let shelf = Bookcase()
        shelf.title = "saved"
        store.insert(shelf)
        try store.save()
        backend.order { orders in
            orders.commitsWait = true
            orders.beforeCommit = {
                let name: [UInt8] = [97]
                let batch = backend.inner.makeBatch()
                try? name.withUnsafeBytes { try batch.put($0, for: $0, in: .namedBuffers) }
                _ = try? backend.inner.commit(batch)
            }
        }
        shelf.title = "changed"
        let save = Task { try await store.saveInBackground() }
        while store.backgroundSave == nil { await Task.yield() }
        backend.order { $0.commitsWait = false }
        if ofOneObject { try store.rollback(shelf) } else { store.rollback() }
        await #expect(throws: BackendError.self) { try await save.value }
        #expect(shelf.title == "saved" && !store.hasChanges)
        shelf.title = "again"
        try await store.saveInBackground()
        let other = try Store(backend: backend, classes: volumeClasses)
        #expect(try other.objects(of: Bookcase.self).map(\.title) == ["again"])
    }
}
