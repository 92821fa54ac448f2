import CabinetBackend
import CabinetMemory
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Random edits in two stores, with failures, merges and undo: after every save the counts of triggers are
/// those of a recount.
struct TriggerModelTests {
    @Test(arguments: RunSetting.seeds(64))
    func countsAreThoseOfARecount(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let backend = FaultyBackend(isolatesCommits: true)
        let stores = try (0..<2).map { _ in try Store(backend: backend, classes: CountedBook.family)
        }
        for _ in 0..<2 {
            let cabinet = CountingCase()
            stores[0].insert(cabinet)
            for number in 0..<2 {
                let shelf = CountingShelf("\(number)")
                shelf.cabinet = cabinet
                stores[0].insert(shelf)
            }
        }
        try stores[0].save()
        stores[1].undoHistory.isEnabled = true
        for step in 0..<200 {
            let store = stores[random.below(2)]
            try edit(store, &random)
            guard random.once(in: 3) else { continue }
            backend.order { $0.commitFails = random.once(in: 6) }
            do { try save(store, &random) } catch {
                backend.order { $0.commitFails = false }
                // A conflict, a refusal, a failed commit: dropped or tried again.
                if random.once(in: 2) { store.rollback() }
                try? store.save(onConflict: .merge)
                if store.hasChanges { store.rollback() }
            }
            backend.order { $0.commitFails = false }
            let saved = try Store(backend: backend, classes: CountedBook.family)
            let miscounts = try saved.miscounts()
            try #require(miscounts == [], "seed \(seed), step \(step)")
            try saved.close()
        }
    }

    private func edit(_ store: Store, _ random: inout SeededRandom) throws {
        let books = try store.objects(of: CountedBook.self)
        let shelves = try store.objects(of: CountingShelf.self)
        let shelf =
            shelves.isEmpty || random.once(in: 5) ? nil : shelves[random.below(shelves.count)]
        let book = books.isEmpty ? nil : books[random.below(books.count)]
        switch random.below(10) {
        case 0...2:
            let new = CountedBook("Book \(random.below(100))", pages: random.below(500), on: shelf)
            if random.once(in: 8) { new.duty = random.once(in: 2) ? "copy" : "refuse" }
            store.insert(new)
        case 3: book?.shelf = shelf
        case 4: book?.pages += random.below(9)
        case 5: book?.title = random.once(in: 6) ? "invalid" : "Title \(random.below(50))"
        case 6: if let book { try store.delete(book) }
        case 7: shelf?.name = "Shelf \(random.below(50))"
        case 8:
            if let cases = try? store.objects(of: CountingCase.self), !cases.isEmpty {
                shelf?.cabinet = random.once(in: 4) ? nil : cases[random.below(cases.count)]
            }
        default:
            guard store.undoHistory.isEnabled else { return }
            do {
                let isUndo = !random.once(in: 3)
                for _ in 0...random.below(6) {
                    _ = isUndo ? try store.undoHistory.undo() : try store.undoHistory.redo()
                }
            } catch StoreError.changedSince {
                store.undoHistory.removeAll()
            }
        }
    }

    private func save(_ store: Store, _ random: inout SeededRandom) throws {
        switch random.below(4) {
        case 0: try store.save()
        case 1: try store.save(onConflict: .merge)
        case 2: try store.save(onConflict: .theirs)
        default:
            // Of a shelf that would replace what others have counted.
            try store.save(onConflict: .resolve { $0.className == "CountedBook" ? .mine : .merge })
        }
    }
}
