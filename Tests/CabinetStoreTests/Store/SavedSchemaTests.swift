import CabinetBackend
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// The catalog's schema, for records of classes that a program may not have.
struct SavedSchemaTests {
    @Test func isReadOnceACommit() throws {
        let backend = FaultyBackend()
        let store = try Store(backend: backend, classes: [Bead.self])
        store.insert(Bead())
        try store.save()
        #expect(try store.savedSchema()["Bead"]?.layouts.count == 1)
        backend.order { $0.readsFail = true }
        #expect(try store.savedSchema()["Bead"]?.layouts.count == 1)
        backend.order { $0.readsFail = false }
        store.insert(Bead())
        try store.save()
        backend.order { $0.readsFail = true }
        #expect(throws: FaultyBackend.failure) { try store.savedSchema() }
        backend.order { $0.readsFail = false }
        var count = 0
        try store.forEachRecord(of: "Bead") { _ in count += 1 }
        #expect(count == 2)
        try store.close()
    }
}
