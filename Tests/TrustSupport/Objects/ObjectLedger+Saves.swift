/// One save of a store of objects, and what happened before it.
package struct ObjectSave: Sendable {
    /// Done first, and rolled back.
    var rolledBack: [ObjectLedger.Change]
    /// Done, and saved.
    var kept: [ObjectLedger.Change]
    /// Done in one step, and undone.
    var undone: [ObjectLedger.Change]
    /// Done in one step, undone, done again, and saved.
    var redone: [ObjectLedger.Change]
    /// A named buffer that is set, or removed.
    var note: (name: String, text: TextRecipe?)
}

extension ObjectLedger {
    /// The next save. At least one book is added.
    package func nextSave() -> ObjectSave {
        var random = SeededRandom(seed: seed, part: UInt64(saves + 1))
        let rolledBack =
            saves > 0 && random.once(in: 4)
            ? changes(1 + random.below(3), to: self, &random) : []
        var kept: [Change] = []
        if saves == 0 { kept += [.addShelf(1), .addShelf(2)] }
        kept.append(newBook(on: applying(kept), &random))
        kept += changes(random.below(5), to: applying(kept), &random)
        let draft = applying(kept)
        let undone = random.once(in: 3) ? changes(1 + random.below(3), to: draft, &random) : []
        let redone = random.once(in: 3) ? changes(1 + random.below(3), to: draft, &random) : []
        let name = "Note \(random.below(4))"
        let isRemoved = notes[name] != nil && random.once(in: 3)
        return ObjectSave(
            rolledBack: rolledBack, kept: kept, undone: undone, redone: redone,
            note: (name, isRemoved ? nil : text(&random)))
    }

    /// The ledger with one save more.
    package func applying(_ save: ObjectSave) -> ObjectLedger {
        var result = applying(save.kept).applying(save.redone)
        result.notes[save.note.name] = save.note.text?.sum
        result.saves += 1
        return result
    }

    private func changes(
        _ count: Int, to ledger: ObjectLedger, _ random: inout SeededRandom
    ) -> [Change] {
        var draft = ledger
        var result: [Change] = []
        for _ in 0..<count {
            let change = change(to: draft, &random)
            draft.apply(change)
            result.append(change)
        }
        return result
    }

    private func change(to draft: ObjectLedger, _ random: inout SeededRandom) -> Change {
        let books = draft.books.keys.sorted()
        guard !books.isEmpty else { return newBook(on: draft, &random) }
        let book = books[random.below(books.count)]
        let shelf = anyShelf(of: draft, &random)
        let size = draft.shelves[shelf]?.count ?? 0
        switch random.below(books.count > 30 ? 14 : 10) {
        case 0: return newBook(on: draft, &random)
        case 1: return .addShelf(nextSerial(draft))
        case 2, 3: return .move(book: book, shelf: shelf)
        case 4 where size > 1:
            return .swap(shelf: shelf, random.below(size), random.below(size))
        case 5, 6: return .setPrice(book: book, price(&random))
        case 7: return .setText(book: book, text(&random))
        case 8 where draft.shelves.count > 2: return .deleteShelf(shelf)
        default: return .deleteBook(book)
        }
    }

    private func newBook(on draft: ObjectLedger, _ random: inout SeededRandom) -> Change {
        .addBook(
            nextSerial(draft), shelf: anyShelf(of: draft, &random), price: price(&random),
            text: text(&random))
    }

    private func anyShelf(of draft: ObjectLedger, _ random: inout SeededRandom) -> Int {
        let shelves = draft.shelves.keys.sorted()
        return shelves[random.below(shelves.count)]
    }

    /// Serial numbers go on over books and shelves, and never back below one that is there.
    private func nextSerial(_ draft: ObjectLedger) -> Int {
        max(draft.latest, draft.books.keys.max() ?? 0, draft.shelves.keys.max() ?? 0) + 1
    }

    private func price(_ random: inout SeededRandom) -> Int64 { Int64(random.below(10_000)) - 100 }

    private func text(_ random: inout SeededRandom) -> TextRecipe {
        TextRecipe(
            number: random.next(),
            length: random.once(in: 12)
                ? random.below(filling * 10 + 1) : random.below(min(filling, 200) + 1))
    }
}
