import Cabinet

extension ObjectLedger {
    /// What the objects of a store come to, after each has been held against the others.
    /// - Throws: ``LedgerFailure`` for what does not agree.
    package init(readingFrom store: Store, seed: UInt64, filling: Int) throws {
        self.init(seed: seed, filling: filling)
        try readShelves(store)
        try readBooks(store)
        try readNames(store)
        try checkSearching(store)
        if let finding = try store.indexFindings().first {
            throw LedgerFailure("an index does not agree with its records: \(finding)")
        }
        let tills = try store.objects(of: Till.self)
        guard tills.count == shelves.count else {
            throw LedgerFailure("\(tills.count) tills of \(shelves.count) shelves")
        }
        for till in tills where till.shelf?.till !== till {
            throw LedgerFailure("the till in row \(till.rowID) is not its shelf's")
        }
        guard saves > 0 || shelves.isEmpty else { throw LedgerFailure("shelves, but no save") }
    }

    private mutating func readShelves(_ store: Store) throws {
        for shelf in try store.objects(of: Shelf.self) {
            guard shelves.updateValue(shelf.books.map(\.serial), forKey: shelf.serial) == nil else {
                throw LedgerFailure("two shelves \(shelf.serial)")
            }
            let total = shelf.books.reduce(0) { $0 + $1.price }
            guard shelf.total == total, shelf.till?.balance == -total else {
                throw LedgerFailure(
                    "shelf \(shelf.serial) is worth \(total), says \(shelf.total), and its till "
                        + "\(shelf.till.map { "\($0.balance)" } ?? "is not there")")
            }
            for book in shelf.books where book.shelf !== shelf {
                throw LedgerFailure("book \(book.serial) does not know its shelf")
            }
            try checkFetching(shelf, store)
            try checkReferrers(of: shelf, store)
        }
        guard try store.count(of: Shelf.self) == shelves.count else {
            throw LedgerFailure("the shelves are counted otherwise")
        }
    }

    private mutating func readBooks(_ store: Store) throws {
        for book in try store.objects(of: Book.self) {
            guard let shelf = book.shelf, shelf.books.count(where: { $0 === book }) == 1 else {
                throw LedgerFailure("book \(book.serial) is not once on its shelf")
            }
            let sum = TextRecipe.Sum(book.text.utf8)
            let read = Volume(
                shelf: shelf.serial, price: book.price, length: sum.length, textSum: sum.sum)
            guard books.updateValue(read, forKey: book.serial) == nil else {
                throw LedgerFailure("two books \(book.serial)")
            }
            try checkFetching(book, store)
        }
        guard try store.count(of: Book.self) == books.count else {
            throw LedgerFailure("the books are counted otherwise")
        }
    }

    /// The table of referrers knows the books and the till, whether their references are entered or not.
    private func checkReferrers(of shelf: Shelf, _ store: Store) throws {
        let known: [StoredObject] = shelf.books + (shelf.till.map { [$0] } ?? [])
        let found = try store.referrers(of: shelf)
        guard found.count == known.count, Set(found) == Set(known) else {
            throw LedgerFailure(
                "shelf \(shelf.serial) has \(known.count) referrers, and \(found.count) are found")
        }
    }

    /// A search finds what has a word, and nothing else, whatever state its index is in.
    private func checkSearching(_ store: Store) throws {
        var rows: [String: [RowID]] = [:]
        for book in try store.objects(of: Book.self) {
            for word in Set(book.text.split(separator: " ").map(String.init)) {
                rows[word, default: []].append(book.rowID)
            }
        }
        for word in TextRecipe.words {
            let found = try store.query(Book.self).search(word, in: \Book.text, orderedBy: .row)
                .map(\.object.rowID)
            guard found == rows[word, default: []].sorted() else {
                throw LedgerFailure(
                    "'\(word)' is found in rows \(found), not \(rows[word, default: []])")
            }
        }
    }

    /// One object by its row is the one that the walk met.
    private func checkFetching<Object: StoredObject>(_ object: Object, _ store: Store) throws {
        guard try store.object(Object.self, rowID: object.rowID) === object else {
            throw LedgerFailure("row \(object.rowID) of \(Object.self) is another object")
        }
    }

    private mutating func readNames(_ store: Store) throws {
        for name in try store.namedBuffers.all() {
            guard let buffer = try store.namedBuffers.buffer(for: name) else {
                throw LedgerFailure("no buffer '\(name)'")
            }
            guard name == "Totals" else {
                notes[name] = TextRecipe.Sum(try buffer.readString().utf8)
                continue
            }
            saves = Int(try buffer.readInt64())
            latest = Int(try buffer.readInt64())
            let book: Book? = try buffer.readReference()
            guard book?.serial == (books[latest] == nil ? nil : latest) else {
                throw LedgerFailure("the latest book is \(latest), and not the one that is named")
            }
            let listed: [Shelf] = try buffer.readReferences()
            guard Set(listed.map(\.serial)) == Set(shelves.keys) else {
                throw LedgerFailure("the named shelves are not those that there are")
            }
        }
    }
}
