import CabinetBackend

extension Store {
    /// Whether something is pending, so that a fetch gives other than what is saved.
    var hasPendingState: Bool { changes.pendingCount > 0 || hasUnreconciledEdits }

    /// Calls `body` with a store that gives what this one reads, with what is pending or without: this
    /// store, or one beside it that lives as long as the call.
    func withState<Result>(
        includingPending: Bool, _ body: (Store) throws -> Result
    ) throws -> Result {
        if includingPending || !hasPendingState { return try body(self) }
        let saved = try Store(
            backend: backend, reader: try readerForWalk(), classes: classes.map(\.type),
            migrations: [], versioning: codec.versioning, log: .none, parts: parts,
            label: slot.label)
        // Nothing of it is written, and the backend stays open.
        defer { try? saved.close() }
        return try body(saved)
    }
}
