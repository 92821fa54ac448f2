extension Store {
    /// What the folders before this one add to a store, in the order in which it asks them.
    static var allParts: [any StorePart] {
        [
            DerivedPart(kinds: [IndexKeeper.self, TextKeeper.self]), ReferrerPart(), ScanPart(),
            TriggerPart(), HistoryPart(),
        ]
    }
}
