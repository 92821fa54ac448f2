import CabinetBackend

extension Store {
    /// What keeps the text indexes, if any class of the store has some, whether the program knows them
    /// or not.
    var textKeeper: TextKeeper? { annexIfMade(KeptTexts.self)?.keeper }

    func setUpTextIndexes() throws {
        for storedClass in classes {
            let hasTexts = !storedClass.type.textIndexes.isEmpty
            let entries = try reader.textEntries(ofClass: storedClass.number)
            if !hasTexts, entries.all.isEmpty, !entries.isUnreadable { continue }
            try keepTexts(of: storedClass)
            // Stores that were opened without the indexes leave them behind when they save.
            if hasTexts { hub.register(Self.textRegistration(storedClass.number)) }
        }
    }

    private static func textRegistration(_ number: UInt8) -> CommitHub.Registration {
        CommitHub.Registration(name: "texts.\(number)") { store in
            guard let storedClass = store.classesByNumber[Int(number)] else { return }
            try store.keepTexts(of: storedClass)
        }
    }

    /// Has the text indexes of a class take part in the store's commits, if they do not yet.
    private func keepTexts(of storedClass: StoredClass) throws {
        let keeper = makeTextKeeper()
        guard !keeper.knows(storedClass) else { return }
        keeper.add(try ClassTexts(storedClass, self))
        noteFollowed()
    }

    private func makeTextKeeper() -> TextKeeper {
        if let textKeeper { return textKeeper }
        let keeper = TextKeeper(self)
        _ = annex(KeptTexts.self) { _ in KeptTexts(keeper) }
        add(keeper)
        return keeper
    }
}

private final class KeptTexts {
    let keeper: TextKeeper

    init(_ keeper: TextKeeper) { self.keeper = keeper }
}
