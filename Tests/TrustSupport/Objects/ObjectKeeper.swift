import Cabinet

/// A program that keeps its objects in a store: does to them what a ledger says, by serial
/// numbers, through the public API alone.
package final class ObjectKeeper {
    private let store: Store
    /// What the objects must be.
    package private(set) var ledger: ObjectLedger
    private var shelves: [Int: Shelf] = [:]
    private var books: [Int: Book] = [:]

    /// Reads everything that is in the store, and holds it against itself.
    /// - Throws: ``LedgerFailure`` for what does not agree.
    package init(_ store: Store, seed: UInt64, filling: Int) throws {
        self.store = store
        store.undoHistory.isEnabled = true
        // Most saves leave references for the thread that enters them.
        store.unmergedReferenceLimit = 2
        ledger = try ObjectLedger(readingFrom: store, seed: seed, filling: filling)
        for shelf in try store.objects(of: Shelf.self) { shelves[shelf.serial] = shelf }
        for book in try store.objects(of: Book.self) { books[book.serial] = book }
    }

    /// Does what comes before the next save, and all that is in it but the saving itself. Returns
    /// the rows of the books that are new in it; `nil` if each was deleted again.
    /// - Throws: ``LedgerFailure`` if the objects are not then what the ledger says.
    package func prepare(_ save: ObjectSave) throws -> ClosedRange<RowID>? {
        if !save.rolledBack.isEmpty {
            try keepingObjects {
                for change in save.rolledBack { try apply(change) }
                store.rollback()
            }
        }
        let before = Set(books.keys)
        for change in save.kept { try apply(change) }
        if !save.undone.isEmpty {
            try keepingObjects {
                try store.undoHistory.group("undone") {
                    for change in save.undone { try apply(change) }
                }
                // A step in which nothing changed is none.
                if store.undoHistory.undoName == "undone" { try store.undoHistory.undo() }
            }
        }
        if !save.redone.isEmpty {
            try store.undoHistory.group("redone") {
                for change in save.redone { try apply(change) }
            }
            if store.undoHistory.undoName == "redone" {
                try store.undoHistory.undo()
                try store.undoHistory.redo()
            }
        }
        ledger = ledger.applying(save)
        updateTotals()
        try setNames(save)
        // Every other time, for looking also reconciles what saving would find not reconciled.
        if ledger.saves % 2 == 0 { try check(save) }
        let rows = books.filter { !before.contains($0.key) }.map(\.value.rowID)
        guard let lowest = rows.min(), let highest = rows.max() else { return nil }
        return lowest...highest
    }

    private func check(_ save: ObjectSave) throws {
        let found = try ObjectLedger(
            readingFrom: store, seed: ledger.seed, filling: ledger.filling)
        if let difference = found.difference(from: ledger) {
            throw LedgerFailure("\(difference), after \(save)")
        }
    }

    package func save() throws { try store.save() }

    /// Calls `body`, after which the same objects are there as before.
    private func keepingObjects(_ body: () throws -> Void) rethrows {
        let before = (shelves, books)
        try body()
        (shelves, books) = before
    }

    private func apply(_ change: ObjectLedger.Change) throws {
        switch change {
        case .addShelf(let serial):
            let shelf = Shelf()
            shelf.serial = serial
            let till = Till()
            till.shelf = shelf
            shelf.till = till
            store.insert(shelf)
            shelves[serial] = shelf
        case .addBook(let serial, let place, let price, let text):
            let book = Book()
            book.serial = serial
            book.price = price
            book.text = text.text
            // Putting it on a shelf of the store inserts it.
            try shelf(place).books.append(book)
            books[serial] = book
        case .move(let serial, let place):
            let target = try shelf(place)
            if try book(serial).shelf !== target { try book(serial).shelf = target }
        case .swap(let place, let one, let other): try shelf(place).books.swapAt(one, other)
        case .setPrice(let serial, let price): try book(serial).price = price
        case .setText(let serial, let text): try book(serial).text = text.text
        case .deleteBook(let serial):
            try store.delete(book(serial))
            books[serial] = nil
        case .deleteShelf(let place):
            let shelf = try shelf(place)
            for book in shelf.books { books[book.serial] = nil }
            try store.delete(shelf)
            shelves[place] = nil
        }
    }

    /// Brings totals and tills up to the books, where they are not.
    private func updateTotals() {
        for (serial, shelf) in shelves {
            let total = ledger.total(of: serial)
            if shelf.total != total { shelf.total = total }
            if let till = shelf.till, till.balance != -total { till.balance = -total }
        }
    }

    private func setNames(_ save: ObjectSave) throws {
        let totals = DataBuffer()
        totals.writeInt64(Int64(ledger.saves))
        totals.writeInt64(Int64(ledger.latest))
        totals.writeReference(books[ledger.latest])
        totals.writeReferences(try store.objects(of: Shelf.self))
        store.namedBuffers["Totals"] = totals
        if let text = save.note.text {
            let note = DataBuffer()
            note.writeString(text.text)
            store.namedBuffers[save.note.name] = note
        } else {
            store.namedBuffers[save.note.name] = nil
        }
    }

    private func shelf(_ serial: Int) throws -> Shelf {
        guard let shelf = shelves[serial] else { throw LedgerFailure("no shelf \(serial)") }
        return shelf
    }

    private func book(_ serial: Int) throws -> Book {
        guard let book = books[serial] else { throw LedgerFailure("no book \(serial)") }
        return book
    }
}
