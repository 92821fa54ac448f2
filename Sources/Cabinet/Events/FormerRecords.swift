import CabinetBackend

/// Adds to the commits of a store what they replace of classes with triggers after a save
/// (``FormerValue``): these get former values in later runs, too, when no reader has them any more.
final class FormerRecords: CommitParticipant {
    private let classes: Set<UInt8>

    init(ofClasses classes: Set<UInt8>) { self.classes = classes }

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

    func begin(_ commit: Commit) {}
    func join(_ commit: Commit) {}
    func didEnd(committed number: CommitNumber?) {}
    func forgetWhatIsSaved() {}
}
