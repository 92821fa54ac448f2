import Cabinet
import Foundation
import Testing

/// Live lists of properties: once a list of a computed one was taken, and went stale.
struct LivePropertyTests {
    @Test func aComputedPropertyIsRefused() throws {
        let store = try Store(inMemory: [Shelf.self, Volume.self])
        let (shelf, volume) = (Shelf(), Volume())
        shelf.volumes = [volume]
        store.insert(shelf)
        store.insert(volume)
        try store.save()
        #expect(throws: StoreError.noRelationship(class: "Shelf")) {
            try store.live.objects(\Shelf.thick, of: shelf)
        }
        #expect(try store.live.objects(\Shelf.volumes, of: shelf).objects.count == 1)
        #expect(throws: StoreError.notInStore(class: "Shelf")) {
            try store.live.objects(\Shelf.thick, of: Shelf())
        }
        try store.close()
    }

    @Test func foundationShowsWhatAnErrorSays() {
        let error: any Error = StoreError.noRelationship(class: "Shelf")
        #expect(error.localizedDescription == StoreError.noRelationship(class: "Shelf").description)
        let other: any Error = BackendError.diskFull(path: "/store", needed: 1)
        #expect(other.localizedDescription == "\(other)")
    }
}

private final class Shelf: StoredObject {
    @Many var volumes: [Volume]
    var thick: [Volume] { volumes.filter { $0.pages > 500 } }
}

private final class Volume: StoredObject {
    @Field var pages = 600
}
