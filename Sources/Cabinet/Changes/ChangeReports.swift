import CabinetBackend

/// Collects which pending objects change again, for a subclass that keeps what it has read of them.
///
/// A pending object reports no further change, unless changes are recorded. One that was looked at here
/// does, once: see ``expect(from:)``.
class ChangeReports {
    /// Objects that have changed since they were looked at, in order, some repeatedly and, while
    /// changes are recorded, some that were never looked at.
    private(set) final var changed: [StoredObject] = []

    final func note(_ object: StoredObject) { changed.append(object) }

    /// Has `object`, which was looked at just now, report its next change.
    final func expect(from object: StoredObject) { object.state.formUnion(.reportsChange) }
}
