import CabinetBackend

/// Collects which pending objects of a store change again, for a subclass that keeps what it has read of
/// them: the store's ``ChangeSet`` notes each here.
///
/// A pending object reports no further change, unless changes are recorded. One that was looked at here
/// does, once: see ``expect(from:)``.
class ChangeReports {
    /// Objects that have changed since they were looked at, in the order of their changes: some of them
    /// more than once, and, while changes are recorded, some that were never looked at.
    private(set) final var changed: [StoredObject] = []

    final func note(_ object: StoredObject) { changed.append(object) }

    /// Has `object`, which was looked at just now, report its next change.
    final func expect(from object: StoredObject) { object.state.formUnion(.reportsChange) }
}
