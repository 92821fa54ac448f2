import CabinetTestSupport
import Testing
import TrustSupport

@testable import Cabinet

/// What `upsert` finds among pending and saved objects, compared with a pass over all of them.
@Suite("Indexes: upsert, compared with a pass")
struct UpsertModelTests {
    final class Subscriber: StoredObject {
        @Field var email: String?
        @Field var code: Int?
        @Field var visits = 0
        @One var sponsor: Subscriber?
        @Many(inverse: \Subscriber.sponsor) var sponsored: [Subscriber]

        override class var indexes: [Index] {
            [.unique(\Subscriber.email), .unique(\Subscriber.code)]
        }
    }

    /// Calls `upsert` while an object changes.
    private final class Meddler: StoreDelegate {
        var email: String?
        var found: Subscriber?

        func store(_ store: Store, willUpdate object: StoredObject) {
            guard let wanted = email else { return }
            email = nil
            found = try? store.upsert(Subscriber.self, by: \.email, wanted)
        }
    }

    private struct Refusal: Error {}

    @Test(arguments: RunSetting.seeds(12))
    func agreesWithAPass(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let scene = try IndexScene(seed % 2 == 0 ? .memory : .files)
        let store = try scene.open([Subscriber.self])
        store.undoHistory.isEnabled = seed % 3 == 0
        for _ in 0..<400 {
            switch random.below(14) {
            case 0..<5: try upsert(\.email, "\(random.below(40))", in: store)
            case 5..<7: try upsert(\.code, random.below(40), in: store)
            default: try change(store, &random)
            }
        }
        try store.save()
        #expect(try store.indexFindings().isEmpty)
        try store.close()
    }

    private func upsert<Value: IndexedValue & Equatable>(
        _ key: ReferenceWritableKeyPath<Subscriber, Value?>, _ value: Value, in store: Store
    ) throws where Value?: IndexedValue {
        let known = try store.objects(of: Subscriber.self)
        let present = known.first { $0[keyPath: key] == value }
        let object = try store.upsert(Subscriber.self, by: key, value) { $0.visits += 1 }
        if let present {
            #expect(object === present)
        } else {
            #expect(object[keyPath: key] == value && !known.contains { $0 === object })
        }
    }

    private func change(_ store: Store, _ random: inout SeededRandom) throws {
        let all = try store.objects(of: Subscriber.self)
        guard let object = all.randomElement(using: &random) else { return }
        let email = "\(random.below(40))"
        let isTaken = all.contains { $0.email == email }
        switch random.below(10) {
        case 0...2: if !isTaken { object.email = email }
        case 3: object.code = nil
        case 4: object.sponsor = all.randomElement(using: &random)
        case 5:
            try store.delete(object)
            guard random.once(in: 3) else { return }
            try upsert(\.code, 99, in: store)
            store.insert(object)
            object.code = nil
            if !isTaken { object.email = email }
        case 6: try store.save()
        case 7: if random.once(in: 3) { store.rollback() }
        case 8:
            guard store.undoHistory.isEnabled else { return }
            if random.once(in: 2) { try store.undoHistory.undo() }
            if random.once(in: 2) { try store.undoHistory.redo() }
        default:
            try? store.undoHistory.group("given up") {
                if !isTaken { object.email = email }
                try upsert(\.email, email, in: store)
                throw Refusal()
            }
        }
    }

    @Test("an object that changes while a delegate upserts is not taken for what it was")
    func upsertFromADelegate() throws {
        let store = try Store(inMemory: [Subscriber.self])
        let meddler = Meddler()
        let first = try store.upsert(Subscriber.self, by: \.email, "a")
        try store.save()
        store.delegate = meddler
        meddler.email = "a"
        first.email = "b"
        #expect(meddler.found === first)
        #expect(try store.upsert(Subscriber.self, by: \.email, "b") === first)
        #expect(try store.upsert(Subscriber.self, by: \.email, "a") !== first)
    }

    @Test("what a closure that throws has changed is taken back", arguments: [false, true])
    func aClosureThatThrows(_ recordsUndo: Bool) throws {
        let store = try Store(inMemory: [Subscriber.self])
        store.undoHistory.isEnabled = recordsUndo
        let first = try store.upsert(Subscriber.self, by: \.email, "a") { $0.visits = 1 }
        try store.save()
        for email in ["a", "b"] {
            #expect(throws: Refusal.self) {
                try store.upsert(Subscriber.self, by: \.email, email) { found in
                    found.visits = 9
                    first.sponsored.append(Subscriber())
                    throw Refusal()
                }
            }
        }
        #expect(!store.hasChanges && first.visits == 1 && first.sponsored.isEmpty)
        #expect(try store.count(of: Subscriber.self) == 1)
        #expect(try store.upsert(Subscriber.self, by: \.email, "b") !== first)
        try store.save()
        #expect(try store.count(of: Subscriber.self) == 2)
    }

    @Test("each pending object has its key made once, and again when it has changed")
    func keysAreMadeOnce() throws {
        let store = try Store(inMemory: [Subscriber.self])
        for number in 0..<1_000 {
            try store.upsert(Subscriber.self, by: \.email, "\(number)")
        }
        let owners = try #require(store.changes.reports as? PendingOwners)
        #expect(owners.keyCount == 999)
        let object = try store.upsert(Subscriber.self, by: \.email, "500") { $0.visits = 1 }
        #expect(object.email == "500" && owners.keyCount == 1_001)
        object.visits = 2
        try store.upsert(Subscriber.self, by: \.email, "501")
        // The change in the closure is a step of its own, so the one behind it is reported, too.
        #expect(owners.keyCount == 1_004)
        try store.save()
        #expect(store.changes.reports == nil)
    }
}
