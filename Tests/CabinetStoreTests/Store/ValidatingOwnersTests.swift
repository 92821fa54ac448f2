import CabinetMemory
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

private typealias Entry = Bookkeeping.Entry
private typealias Posting = Bookkeeping.Posting
private typealias Remark = Bookkeeping.Remark

/// Rules over an object and its parts.
struct ValidatingOwnersTests {
    private let container = StoreContainer(inMemory: Bookkeeping.classes)

    private func saved(_ amounts: Int...) throws -> (Store, Entry) {
        let store = try container.makeStore()
        let entry = Bookkeeping.entry(amounts)
        store.insert(entry)
        try store.save()
        return (store, entry)
    }

    private func entry(in store: Store) throws -> Entry {
        try #require(try store.objects(of: Entry.self).first)
    }

    private func expectRefused(_ store: Store, _ sum: Int) throws {
        do {
            try store.save()
            Issue.record("what breaks the rule was saved")
        } catch StoreError.invalid(let failures) {
            #expect(failures.map { $0.error as? Bookkeeping.Unbalanced } == [.init(sum: sum)])
            #expect(failures.map(\.className) == ["Entry"])
        }
        #expect(store.hasChanges)
        #expect(try Bookkeeping.broken(in: try container.makeStore()) == [])
    }

    @Test func aChangeOfOnePart() throws {
        let (store, entry) = try saved(5, -5)
        entry.postings[0].amount = 6
        #expect(!entry.isChanged)
        try expectRefused(store, 1)
        entry.postings[1].amount = -6
        try store.save()
    }

    @Test func aPartOfAnOwnerThatWasNotRead() throws {
        _ = try saved(5, -5)
        let store = try container.makeStore()
        try #require(try store.objects(of: Posting.self).first).amount = 7
        try expectRefused(store, 2)
    }

    @Test func aPartOfAPart() throws {
        let (store, entry) = try saved(5, -5)
        let note = Remark()
        entry.postings[0].notes = [note]
        try store.save()
        note.words = 11
        try expectRefused(store, 11)
    }

    @Test func anUndoOfOneOfTwoSteps() throws {
        let (store, entry) = try saved(5, -5)
        store.undoHistory.isEnabled = true
        entry.postings[0].amount = 6
        entry.postings[1].amount = -6
        try store.save()
        try store.undoHistory.undo()
        try expectRefused(store, 1)
        try store.undoHistory.undo()
        try store.save()
        try store.undoHistory.redo()
        try expectRefused(store, 1)
    }

    @Test func aPartThatMovesComesAndGoes() throws {
        let (store, entry) = try saved(5, -5)
        store.insert(Bookkeeping.entry([1, -1]))
        try store.save()
        let other = try #require(try store.objects(of: Entry.self).first { $0 !== entry })
        entry.postings[0].entry = other
        #expect(throws: StoreError.self) { try store.save() }
        store.rollback()
        try store.delete(entry.postings[0])
        try expectRefused(store, -5)
        store.rollback()
        let posting = Posting()
        posting.amount = 3
        posting.entry = entry
        store.insert(posting)
        try expectRefused(store, 3)
    }

    @Test(arguments: ["save", "merge", "background"])
    func changesOfTwoStoresThatAreRightAloneAreNotSavedTogether(_ way: String) async throws {
        let (one, entry) = try saved(5, -5, 3, -3)
        let two = try container.makeStore()
        let others = try self.entry(in: two).postings
        // Each keeps the balance; of both together, one posting is the second's.
        (entry.postings[0].amount, entry.postings[1].amount) = (6, -6)
        (others[0].amount, others[2].amount) = (4, 4)
        try one.save()
        do {
            switch way {
            case "merge": try two.save(onConflict: .merge)
            case "background": try await two.saveInBackground()
            default: try two.save()
            }
            Issue.record("what breaks the rule was saved")
        } catch StoreError.invalid { #expect(way == "merge") } catch StoreError.conflict {
            #expect(way != "merge")
        }
        #expect(try Bookkeeping.broken(in: try container.makeStore()) == [])
    }

    @Test func aSaveBetweenValidationAndCommitIsSeen() throws {
        let (one, entry) = try saved(5, -5, 0)
        let two = try container.makeStore()
        let other = try self.entry(in: two)
        // The rule allows words of both notes alone.
        for posting in entry.postings { posting.notes = [Remark()] }
        try one.save()
        try two.refresh()
        entry.postings[0].notes[0].words = 6
        other.postings[1].notes[0].words = 6
        other.duty = { try one.save() }
        #expect(throws: StoreError.self) { try two.save() }
        #expect(try Bookkeeping.broken(in: try container.makeStore()) == [])
        other.postings[1].notes[0].words = 4
        try two.save()
    }

    @Test func classesWithoutPartsHaveNoOwners() throws {
        let store = try container.makeStore()
        let owners = Dictionary(
            uniqueKeysWithValues: store.classes.map { ($0.name, $0.ownersToValidate.count) })
        #expect(owners == ["Entry": 0, "Posting": 1, "Remark": 1])
        let plain = try Store(inMemory: [Branch.self])
        #expect(plain.classes.allSatisfy { $0.ownersToValidate.isEmpty })
    }

    /// Whatever three stores do in an order that a seed gives, no unbalanced entry is saved.
    @Test(arguments: RunSetting.seeds(20))
    func aRuleOverPartsIsNeverPassedBy(_ part: UInt64) async throws {
        var (saves, refusals) = (0, 0)
        for seed in part * 10..<(part + 1) * 10 {
            var run = try PostingStores(seed: seed)
            try await run.run(60)
            saves += run.saves
            refusals += run.refusals
        }
        #expect(saves > 20 && refusals > 20)
    }
}

/// Stores that change postings, mostly so that two of an entry stay in balance.
private struct PostingStores {
    private let container = StoreContainer(inMemory: Bookkeeping.classes)
    private var random: SeededRandom
    private var stores: [Store] = []
    private let seed: UInt64
    private(set) var saves = 0
    private(set) var refusals = 0

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededRandom(seed: seed)
        let first = try container.makeStore()
        for _ in 0..<2 { first.insert(Bookkeeping.entry([2, -2, 1, -1])) }
        try first.save()
        stores = [first, try container.makeStore(), try container.makeStore()]
        stores[0].undoHistory.isEnabled = true
        stores[1].undoHistory.isEnabled = true
    }

    mutating func run(_ steps: Int) async throws {
        for _ in 0..<steps {
            let store = stores[random.below(stores.count)]
            switch random.below(16) {
            case 0..<8: try edit(store)
            case 8: try store.refresh()
            case 9:
                do {
                    let isRedo = random.once(in: 3)
                    _ = try isRedo ? store.undoHistory.redo() : store.undoHistory.undo()
                } catch StoreError.changedSince { store.undoHistory.removeAll() }
            case 10: try await attempt(store) { try await $0.saveInBackground() }
            case 11: try await write()
            case 12, 13: try await attempt(store) { try $0.save(onConflict: .merge) }
            case 14: try await attempt(store) { try $0.save(onConflict: .mine) }
            default: try await attempt(store) { try $0.save(onConflict: .theirs) }
            }
        }
    }

    /// Changes the amounts of two postings so that their sum stays, or of one.
    private mutating func edit(_ store: Store) throws {
        guard let entry = try store.objects(of: Entry.self).randomElement(using: &random) else {
            return store.insert(Bookkeeping.entry([1, -1]))
        }
        let postings = entry.postings
        guard let one = postings.randomElement(using: &random),
            let other = postings.randomElement(using: &random)
        else {
            entry.postings = Bookkeeping.entry([3, -3]).postings
            return
        }
        let amount = random.below(5) - 2
        switch random.below(10) {
        case 0: one.amount += amount
        case 1: try store.delete(one)
        case 2:
            one.entry = try store.objects(of: Entry.self).randomElement(using: &random)
        case 3: one.notes.append(Remark())
        case 4: one.notes.last?.words += 4
        default:
            one.amount += amount
            other.amount -= amount
        }
    }

    private mutating func write() async throws {
        let seed = random.next()
        do {
            try await container.write { store in
                var random = SeededRandom(seed: seed)
                guard
                    let posting = try store.objects(of: Posting.self).randomElement(using: &random)
                else { return }
                posting.amount += 1
                if random.once(in: 2) { posting.entry?.postings.last?.amount -= 1 }
            }
            saves += 1
        } catch StoreError.invalid { refusals += 1 }
        try expectBalance()
    }

    private mutating func attempt(
        _ store: Store, _ body: (Store) async throws -> Void
    ) async throws {
        do {
            try await body(store)
            saves += 1
        } catch StoreError.invalid {
            refusals += 1
            if random.once(in: 2) { store.rollback() }
        } catch StoreError.conflict {
            if random.once(in: 2) { store.rollback() }
        }
        try expectBalance()
    }

    private func expectBalance() throws {
        let reader = try container.makeStore()
        defer { try? reader.close() }
        #expect(try Bookkeeping.broken(in: reader) == [], "seed \(seed)")
    }
}
