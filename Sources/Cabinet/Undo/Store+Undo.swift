extension Store {
    /// What the store remembers of its changes. Off until `isEnabled` is set.
    public var undoHistory: UndoHistory { UndoHistory(self) }
}
