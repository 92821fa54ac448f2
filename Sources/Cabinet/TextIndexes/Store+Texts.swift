extension Store {
    /// What keeps the text indexes, if any class of the store has derived tables.
    var textKeeper: TextKeeper? { annexIfMade(TextKeeper.self) }
}
