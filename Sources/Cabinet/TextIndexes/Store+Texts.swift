import CabinetBackend

extension Store: TextIndexedStore {
    /// What keeps the text indexes, if any class of the store has some, whether the program knows them
    /// or not.
    var textKeeper: TextKeeper? { annexIfMade(KeptTexts.self)?.keeper }

    func setUpTextIndexes() throws {
        var keeper: TextKeeper?
        for storedClass in classes {
            if storedClass.type.textIndexes.isEmpty,
                try reader.textEntries(ofClass: storedClass.number).all.isEmpty
            {
                continue
            }
            let made = keeper ?? TextKeeper(self)
            keeper = made
            made.add(try ClassTexts(storedClass, self))
        }
        guard let keeper else { return }
        _ = annex(KeptTexts.self) { _ in KeptTexts(keeper) }
        add(keeper)
    }
}

private final class KeptTexts {
    let keeper: TextKeeper

    init(_ keeper: TextKeeper) { self.keeper = keeper }
}
