import CabinetBackend

/// What a delete would do.
///
/// Not `Sendable`: it holds objects of a store.
public struct DeletePreview {
    /// What would be deleted, the object itself first.
    public let deleted: [StoredObject]
    /// What would stay and change: objects that refer to a deleted one.
    public let changed: [StoredObject]
    /// Why the delete would be denied; `nil` if it would not. The lists end there then.
    public let denial: (any Error)?
}

extension Store {
    private struct Seen: Error {}

    /// What ``delete(_:)`` would do with `object` now. Nothing is changed, and the delegate is not
    /// called, but `prepareForDelete()` is called as for a delete.
    /// - Throws: ``StoreError/notInStore(class:)``, ``StoreError/wrongStore(class:)``.
    public func previewDelete(_ object: StoredObject) throws -> DeletePreview {
        try checkOpen()
        _ = try storedClass(of: object)
        let savedDelegate = delegate
        delegate = nil
        observed.isMuted = true
        defer {
            delegate = savedDelegate
            observed.isMuted = false
        }
        var entries: [(kind: ChangeLog.Entry.Kind, storedClass: StoredClass, row: RowID)] = []
        var denial: (any Error)?
        do {
            try step {
                defer { entries = changes.openLogs.last?.changes ?? [] }
                if !object.state.contains(.deleted) { try deleteWithRules([object]) }
                throw Seen()
            }
        } catch {
            if !(error is Seen) { denial = error }
        }
        let deleted = entries.filter { $0.kind == .deleted }
        // An object has an entry for each of its lists that changed.
        var seen = Set(deleted.map { ChangeLog.key($0.storedClass, $0.row) })
        let changed = entries.filter {
            $0.kind == .updated && seen.insert(ChangeLog.key($0.storedClass, $0.row)).inserted
        }
        return DeletePreview(
            deleted: deleted.map { $0.storedClass.object(at: $0.row) },
            changed: changed.map { $0.storedClass.object(at: $0.row) }, denial: denial)
    }
}
