import Cabinet
import CabinetMemory
import Testing

private final class Poster: StoredObject {
    @Field var title = ""
    @One var star: Star?
    @Many var guests: [Star]
}

private final class Star: StoredObject {
    @Field var name = ""
}

/// A store calls the observers of a relationship that passes over deleted objects when one of them is deleted
/// or back.
@Suite("Observers of loose relationships")
struct LooseObservationTests {
    private let backend = MemoryBackend()

    private func open() throws -> (Store, Poster, Star) {
        let store = try Store(backend: backend, classes: [Poster.self, Star.self])
        store.isObserved = true
        let poster = try store.objects(of: Poster.self).first ?? Poster()
        let star = poster.star ?? Star()
        if poster.store == nil {
            store.insert(poster)
            store.insert(star)
            (poster.star, poster.guests) = (star, [star])
            try store.save()
        }
        return (store, poster, star)
    }

    @Test(arguments: [false, true])
    func aDeleteAndItsUndoAreTold(isMany: Bool) throws {
        let (store, poster, star) = try open()
        store.undoHistory.isEnabled = true
        func read() -> Int { isMany ? poster.guests.count : poster.star == nil ? 0 : 1 }
        #expect(!Bell.rings(read()) { star.name = "another" })
        #expect(try !Bell.rings(read()) { try store.save() })
        #expect(try !Bell.rings(read()) { try store.reload(star) })
        #expect(try Bell.rings(read()) { try store.delete(star) })
        #expect(read() == 0)
        // The relationship has stayed as it was, and tells when its target is back.
        let bell = Bell()
        bell.watch { _ = read() }
        try store.undoHistory.undo()
        #expect(read() == 1 && bell.rings == 1)
        #expect(try Bell.rings(read()) { try store.undoHistory.redo() })
        #expect(read() == 0)
    }

    @Test(arguments: [false, true])
    func whatIsTakenBackIsTold(isMany: Bool) throws {
        let (store, poster, star) = try open()
        func read() -> Int { isMany ? poster.guests.count : poster.star == nil ? 0 : 1 }
        #expect(try Bell.rings(read()) { try store.delete(star) })
        #expect(Bell.rings(read()) { store.rollback() })
        #expect(read() == 1)
    }

    @Test(arguments: [false, true], [false, true])
    func aDeleteOfAnotherStoreIsTold(isMany: Bool, isRead: Bool) throws {
        let (store, poster, star) = try open()
        let (other, _, otherStar) = try open()
        func read() -> Int { isMany ? poster.guests.count : poster.star == nil ? 0 : 1 }
        if isRead { _ = star.name }
        otherStar.name = "another"
        try other.save()
        #expect(try !Bell.rings(read()) { try store.refresh() })
        try other.delete(otherStar)
        try other.save()
        #expect(try Bell.rings(read()) { try store.refresh() })
        #expect(read() == 0)
    }
}
