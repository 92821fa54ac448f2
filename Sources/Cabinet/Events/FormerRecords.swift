import CabinetBackend

/// Adds to the commits of a store what they replace (``FormerValue``): of classes with triggers after a save,
/// which get former values in later runs, too, when no reader has them any more; of classes that keep
/// history, and of named buffers beside these.
final class FormerRecords: CommitParticipant {
    @exclusivity(unchecked) private var classes: Set<UInt8> = []
    @exclusivity(unchecked) private var keepsNames = false
    private let buffer = DataBuffer()

    /// Has the commits of `store` keep what they replace of these classes, besides others.
    /// - Parameter names: whether of named buffers, too.
    static func keep(ofClasses classes: Set<UInt8>, names: Bool = false, in store: Store) {
        for case let known as FormerRecords in store.participants {
            known.add(classes, names)
            return store.noteFollowed()
        }
        let made = FormerRecords()
        made.add(classes, names)
        store.add(made)
    }

    private func add(_ more: Set<UInt8>, _ names: Bool) {
        classes.formUnion(more)
        keepsNames = keepsNames || names
    }

    var keepsFormers: Bool { true }
    func follows(_ storedClass: StoredClass) -> Bool { classes.contains(storedClass.number) }
    func compares(_ storedClass: StoredClass) -> Bool { follows(storedClass) }

    func note(_ event: RecordEvent, in commit: Commit) throws {
        let (table, row) = (event.storedClass.table, event.object.rowID)
        switch event.kind == .inserted ? .absent : event.former {
        case .absent: try commit.batch.addFormer(nil, of: row, in: table)
        case .record(let record): try commit.batch.addFormer(record, of: row, in: table)
        // It is not known what stood there.
        case .damaged: break
        }
    }

    func join(_ commit: Commit) throws {
        let store = commit.store
        guard keepsNames, commit.isSave, !store.pendingNames.isEmpty else { return }
        try store.pendingNames.forEachName { name in
            do throws(BackendError) {
                let isThere = try store.reading { reader throws(BackendError) in
                    try reader.value(forKey: name, in: .namedBuffers, into: buffer)
                }
                let value = isThere ? UnsafeRawBufferPointer(buffer.memory) : nil
                try commit.batch.addFormer(value, of: name, in: .namedBuffers)
            } catch {
                guard case .corrupt = error else { throw error }
            }
        }
        buffer.removeAll()
    }

    func begin(_ commit: Commit) {}
    func didEnd(committed number: CommitNumber?) {}
    func forgetWhatIsSaved() {}
}
