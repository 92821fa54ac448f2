import CabinetMemory
import Testing
import TrustSupport

@testable import Cabinet

/// A store deletes an object that another has changed, and the other's side counts: what the delete rules had
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

    // MARK: The other side deletes

    /// All that a lot says, itself and what it owns.
    private func text(of lot: Lot) -> String {
        func text(_ thing: Thing?) -> String { thing.map { "\($0.number)" } ?? "-" }
        let pieces = lot.pieces.map { piece in
            "\(piece.number)\(piece.lot === lot ? "" : "?")[\(piece.things.map(text))]"
        }
        return "\(lot.number) \(text(lot.shared)) \(text(lot.cover)) \(pieces)"
    }

    private func texts(in store: Store) throws -> [String] {
        try store.objects(of: Lot.self).map(text).sorted()
    }

    /// Once, the lot came back, and nothing that it owned.
    @Test(arguments: [false, true])
    func whatAnotherStoreHasDeletedWithItComesBack(isRead: Bool) async throws {
        let container = StoreContainer(inMemory: Self.classes)
        let (mine, theirs) = (try container.makeStore(), try container.makeStore())
        _ = try made(in: theirs)
        try mine.refresh()
        let lot = try #require(try mine.objects(of: Lot.self).first)
        if isRead { _ = text(of: lot) }
        try theirs.delete(contentsOf: try theirs.objects(of: Lot.self))
        try theirs.save()
        #expect(try theirs.count(of: Thing.self) == 0)
        lot.number = 7
        try mine.save(onConflict: .mine)
        #expect(text(of: lot) == #"7 0 0 ["0[[\"0\", \"0\"]]", "0[[\"0\", \"0\"]]"]"#)
        for store in [mine, theirs] {
            try store.refresh()
            #expect(try texts(in: store) == [text(of: lot)])
            #expect(try store.count(of: Thing.self) == 6)
            #expect(try await store.check().isSound)
        }
        try mine.delete(lot)
        try mine.save()
        #expect(try mine.count(of: Thing.self) == 0)
    }

    @Test func whatIsEditedHereIsThereWholeWhateverIsDeletedElsewhere() async throws {
        for seed in 1...UInt64(RunSetting.repetitions(100)) {
            var random = SeededRandom(seed: RunSetting.seed &* 31 &+ seed)
            let container = StoreContainer(inMemory: Self.classes)
            let (mine, theirs) = (try container.makeStore(), try container.makeStore())
            for number in 0..<6 {
                let lot = try made(in: theirs)
                lot.number = number
                for piece in lot.pieces { piece.number = random.below(100) }
                if random.below(2) == 0 { lot.cover = nil }
            }
            try theirs.save()
            try mine.refresh()
            var expected: [String] = []
            let deleted = try theirs.objects(of: Lot.self).filter { _ in random.below(2) == 0 }
            let gone = Set(deleted.map(\.number))
            for lot in try mine.objects(of: Lot.self).sorted(by: { $0.number < $1.number }) {
                let isEdited = random.below(2) == 0
                if isEdited {
                    switch random.below(4) {
                    case 0: lot.pieces.append(Piece())
                    case 1: lot.pieces.first?.number = 200
                    case 2: lot.pieces.swapAt(0, 1)
                    default: lot.shared?.number = 300
                    }
                    lot.number += 1000
                }
                if isEdited || !gone.contains(lot.number) { expected.append(text(of: lot)) }
            }
            try theirs.delete(contentsOf: deleted)
            try theirs.save()
            try mine.save(onConflict: .mine)
            for store in [mine, theirs] {
                try store.refresh()
                #expect(try texts(in: store) == expected.sorted(), "seed \(seed)")
                let pieces = try store.objects(of: Piece.self)
                #expect(pieces.allSatisfy { $0.lot != nil }, "seed \(seed)")
                #expect(try await store.check().isSound, "seed \(seed)")
            }
            try container.close()
        }
    }
}
