import CabinetBackend
import Testing

@testable import Cabinet

private final class Guest: StoredObject {
    @Field var name = ""
    @Many var friends: [Guest]
    @Many(inverse: \Seat.guest) var seats: [Seat]

    override class var keepsHistory: Bool { true }
}

private final class Seat: StoredObject {
    @One var guest: Guest?

    override class var keepsHistory: Bool { true }
}

/// To restore an object is a step with all that its lists were.
struct RestoredStepTests {
    private struct Refusal: Error {}

    private static let classes: [StoredObject.Type] = [Guest.self, Seat.self]

    @Test func undoBringsBackListsInTheirOrder() throws {
        let container = StoreContainer(inMemory: Self.classes)
        let store = try container.makeStore()
        store.undoHistory.isEnabled = true
        let (guest, other) = (Guest(), Guest())
        let seats = (0..<4).map { _ in Seat() }
        for object in [guest, other] as [StoredObject] + seats { store.insert(object) }
        try store.save()
        let then = store.basis
        guest.friends = [guest, other]
        guest.seats = [seats[2], seats[0], seats[3], seats[1]]
        try store.save()
        func check() throws {
            #expect(guest.friends == [guest, other])
            #expect(guest.seats == [seats[2], seats[0], seats[3], seats[1]])
            try store.save()
            let second = try container.makeStore()
            let id = try #require(guest.objectID)
            let same = try #require(try second.object(id))
            #expect(same.friends.map(\.rowID) == guest.friends.map(\.rowID))
            #expect(same.seats.map(\.rowID) == guest.seats.map(\.rowID))
            try second.close()
        }
        try container.restore(guest, from: then)
        #expect(guest.friends.isEmpty && guest.seats.isEmpty)
        try store.undoHistory.undo()
        try check()
        #expect(throws: Refusal.self) {
            try store.undoHistory.group {
                try container.restore(guest, from: then)
                throw Refusal()
            }
        }
        try check()
        try store.undoHistory.group { try container.restore(guest, from: then) }
        try store.save()
        try store.undoHistory.undo()
        try check()
        try store.undoHistory.redo()
        #expect(guest.friends.isEmpty && guest.seats.isEmpty)
        #expect(seats.allSatisfy { $0.guest == nil })
    }

    @Test func anObjectOfAnotherContainerIsNotRestored() throws {
        let (first, second) = (
            StoreContainer(inMemory: Self.classes), StoreContainer(inMemory: Self.classes)
        )
        let (mine, theirs) = (try first.makeStore(), try second.makeStore())
        let (guest, other) = (Guest(), Guest())
        guest.name = "mine"
        other.name = "theirs"
        mine.insert(guest)
        theirs.insert(other)
        try mine.save()
        try theirs.save()
        #expect(throws: StoreError.foreignID(class: "Guest")) {
            try first.restore(other, from: mine.basis)
        }
        #expect(other.name == "theirs" && !theirs.hasChanges)
    }
}
