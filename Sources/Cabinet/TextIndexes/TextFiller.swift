import CabinetBackend

/// Enters the texts of many records into a text index: segments of what they were at one commit.
///
/// A row that is changed later is asked itself, whatever they say of it; what was changed before, while the
/// index was being built, is left out of them.
final class TextFiller: TableFiller {
    private let text: ClassText
    private let draft: DraftThread
    private var order: UInt64 = 0
    /// Rows whose records are asked.
    private var unmerged = RowSet()

    init(_ text: ClassText, in store: Store) {
        self.text = text
        draft = DraftThread(text.index.tokenizer)
        super.init(text, in: store)
    }

    override var readsTable: Bool { false }
    override var isFull: Bool { draft.size > TextKeeper.draftLimit }

    /// Says of rows that were changed while the index was being built that no segment knows them. `false` if
    /// other stores have changed more meanwhile.
    override func begin(at reader: any BackendReader, _ upkeep: UpkeepTask) throws -> Bool {
        guard let number = table.table else { return false }
        let snapshot = try TextSnapshot(
            number, hasLengths: text.index.tokenizer.hasLengths, reader)
        let basis = try reader.lastCommit()
        (order, unmerged) = (basis.rawValue + 1, snapshot.unmergedRows)
        let known = snapshot.unmerged.filter { $0.value.segmented != nil }.keys
        if known.isEmpty { return true }
        do {
            _ = try store.commitBesideSaves(ofClass: table.storedClass.number, basis: basis) {
                for row in known { try UnmergedRow(segmented: nil).put(row, in: number, to: $0) }
            }
        } catch BackendError.conflict { return false }
        return true
    }

    override func take(_ record: UnsafeRawBufferPointer, at row: RowID) throws {
        if unmerged.contains(row) { return }
        do {
            guard try cursor.take(record, at: row) else { return }
            try text.source.withText(of: cursor) {
                if let bytes = $0 { _ = try draft.add(bytes, of: row) }
            }
        } catch let error as StoreError {
            store.log(.warning, "Left out of the text index '\(text.name)': \(error)")
        }
    }

    override func write(
        to batch: WriteBatch, guarding records: TableNumber?, except left: RowSet
    ) throws {
        guard let number = table.table else { throw table.leftOut }
        if !draft.isEmpty { try draft.finish().write(order: order, to: batch, number) }
    }

    override func didEnd(committed: Bool) { draft.removeAll() }

    override func leaveOut(
        _ keys: Set<[UInt8]>, _ position: inout TableBuilder.Position
    ) throws -> Bool { false }
}
