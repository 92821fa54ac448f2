import CabinetBackend

/// Adds to the commits of a store what they replace (``FormerValue``): of classes with triggers after a save,
/// which get former values in later runs, too, when no reader has them any more; of classes that keep
/// history, and of named buffers beside these. Of new records a commit says for a whole class that nothing stood
/// there.
final class FormerRecords: CommitParticipant {
    @exclusivity(unchecked) private var classes: [StoredClass] = []
    /// Those with a row of which the commit cannot say what stood there, nor then that it was new.
    @exclusivity(unchecked) private var doubtful: [StoredClass] = []
    @exclusivity(unchecked) private var keepsNames = false
    private let buffer = DataBuffer()

    /// Has the commits of `store` keep what they replace of these classes, besides others.
    /// - Parameter names: whether of named buffers, too.
    static func keep(ofClasses classes: [StoredClass], names: Bool = false, in store: Store) {
        for case let known as FormerRecords in store.participants {
            known.add(classes, names)
            return store.noteFollowed()
        }
        let made = FormerRecords()
        made.add(classes, names)
        store.add(made)
    }

    private func add(_ more: [StoredClass], _ names: Bool) {
        classes += more.filter { !follows($0) }
        keepsNames = keepsNames || names
    }

    var keepsFormers: Bool { true }
    func follows(_ storedClass: StoredClass) -> Bool { classes.contains { $0 === storedClass } }
    func compares(_ storedClass: StoredClass) -> Bool { follows(storedClass) }

    func note(_ event: RecordEvent, in commit: Commit) throws {
        let (table, row) = (event.storedClass.table, event.object.rowID)
        switch event.former {
        case .absent: try commit.batch.addFormer(nil, of: row, in: table)
        case .record(let record): try commit.batch.addFormer(record, of: row, in: table)
        case .damaged: doubtful.append(event.storedClass)
        }
    }

    func begin(_ commit: Commit) {
        for storedClass in classes { storedClass.hasWrittenNew = false }
        if !doubtful.isEmpty { doubtful = [] }
    }

    func join(_ commit: Commit) throws {
        for storedClass in classes where storedClass.hasWrittenNew {
            if doubtful.contains(where: { $0 === storedClass }) { continue }
            try commit.batch.addNewRows(in: storedClass.table)
        }
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

    func didEnd(committed number: CommitNumber?) {}
    func forgetWhatIsSaved() {}
}
