import CabinetMemory
import Testing

@testable import Cabinet

/// A store deletes an object that another has changed, and takes the other's side: what the delete rules had
/// deleted with it stays, too.
struct KeptOwnerTests {
    private final class Lot: StoredObject {
        @Field var number = 0
        @One(onDelete: .cascadeWhenLastReference) var shared: Thing?
        @One(onDelete: .cascade) var cover: Thing?
        @Many(inverse: \Piece.lot, onDelete: .cascade) var pieces: [Piece]
        override class var storageName: String { "Kept_Lot" }
    }

    private final class Piece: StoredObject {
        @Field var number = 0
        @One var lot: Lot?
        @Many(onDelete: .cascade) var things: [Thing]
        override class var storageName: String { "Kept_Piece" }
    }

    private final class Thing: StoredObject {
        @Field var number = 0
        override class var storageName: String { "Kept_Thing" }
    }

    private static let classes: [StoredObject.Type] = [Lot.self, Piece.self, Thing.self]

    private func made(in store: Store) throws -> Lot {
        let lot = Lot()
        (lot.shared, lot.cover, lot.pieces) = (Thing(), Thing(), [Piece(), Piece()])
        for piece in lot.pieces { piece.things = [Thing(), Thing()] }
        store.insert(lot)
        try store.save()
        return lot
    }

    /// Once, the lot stayed, and all that it owned was deleted.
    @Test(arguments: [false, true], [false, true])
    func whatWasDeletedWithItStays(byClosure: Bool, isRead: Bool) async throws {
        let container = StoreContainer(inMemory: Self.classes)
        let (mine, theirs) = (try container.makeStore(), try container.makeStore())
        let lot = try made(in: mine)
        try theirs.refresh()
        let other = try #require(try theirs.objects(of: Lot.self).first)
        other.number = 1
        // One piece is elsewhere by then: it stays as well.
        if isRead { other.pieces.removeLast() }
        try theirs.save()
        try mine.delete(lot)
        #expect(try mine.count(of: Thing.self) == 0)
        try mine.save(onConflict: byClosure ? .resolve { _ in .theirs } : .theirs)
        for store in [mine, theirs] {
            try store.refresh()
            #expect(try store.objects(of: Lot.self).map(\.number) == [1])
            let found = try #require(try store.objects(of: Lot.self).first)
            #expect(found.shared != nil && found.cover != nil)
            #expect(found.pieces.count == (isRead ? 1 : 2))
            #expect(found.pieces.allSatisfy { $0.lot === found && $0.things.count == 2 })
            #expect(try store.count(of: Piece.self) == 2)
            #expect(try store.count(of: Thing.self) == 6)
            #expect(try await store.check().isSound)
        }
        try mine.delete(try #require(try mine.objects(of: Lot.self).first))
        try mine.save()
        #expect(try mine.count(of: Lot.self) == 0)
        #expect(try mine.count(of: Thing.self) == (isRead ? 2 : 0))
    }

    /// What was deleted by itself is deleted.
    @Test func anotherDeleteOfTheSaveIsMade() throws {
        let container = StoreContainer(inMemory: Self.classes)
        let (mine, theirs) = (try container.makeStore(), try container.makeStore())
        let (lot, alone) = (try made(in: mine), try made(in: mine))
        try theirs.refresh()
        try #require(try theirs.objects(of: Lot.self).first).number = 1
        try theirs.save()
        try mine.delete(contentsOf: [lot, alone])
        try mine.save(onConflict: .theirs)
        #expect(try mine.objects(of: Lot.self).map(\.number) == [1])
        #expect(try mine.count(of: Piece.self) == 2)
        #expect(try mine.count(of: Thing.self) == 6)
    }
}
