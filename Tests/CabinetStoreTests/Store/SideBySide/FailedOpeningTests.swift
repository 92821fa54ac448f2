import CabinetBackend
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// A second store cannot be opened, as the first one cannot be frozen.
struct FailedOpeningTests {
    @Test func theFirstStoreIsAloneAsBefore() throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let store = try Store(backend: backend, classes: volumeClasses)
        store.insert(Bookcase())
        try store.save()
        backend.order { $0.snapshotsFail = true }
        #expect(throws: FaultyBackend.failure) {
            try Store(backend: backend, classes: volumeClasses)
        }
        backend.order { $0.snapshotsFail = false }
        store.insert(Bookcase())
        try store.save()
        #expect(try store.count(of: Bookcase.self) == 2 && store.frozen == nil)
        let other = try Store(backend: backend, classes: volumeClasses)
        other.insert(Bookcase())
        try other.save()
        #expect(try store.count(of: Bookcase.self) == 2)
        try store.refresh()
        #expect(try store.count(of: Bookcase.self) == 3)
    }
}
