import CabinetBackend

/// Commits that change how a text index is kept, and not what it says: none of a user's saves waits for
/// them.
///
/// It has a store of its own, which reads as of one commit. If another store has changed the same
/// entries meanwhile, the commit conflicts, and is made later.
struct TextUpkeep {
    /// What ``unmergedLimit`` is if nothing else is said: each search takes so many records apart.
    static let defaultUnmergedLimit = 512
    /// Records of so many bytes that are asked make a segment, though they are fewer: 2 MiB.
    static let unmergedBytesLimit = 2 << 20
    /// So many records tell how long they are.
    private static let samples = 16
    /// So many segments of one size, one after the other, become one.
    static let segmentsOfSize = 4
    /// A segment of more postings stays as it is.
    static let postingsLimit: UInt64 = 8_000_000
    /// Segments with more terms together stay as they are: a merge has each in memory, with its entries.
    static let termsLimit = 1 << 20

    let store: Store
    let text: ClassText
    /// From how many rows on whose records are asked a segment is made of them.
    var unmergedLimit = Self.defaultUnmergedLimit

    /// Brings the index into form, as far as it needs that. Returns whether it made a commit.
    /// - Throws: what reading and committing throw, but for conflicts.
    func run() throws -> Bool {
        guard text.isComplete, let table = text.table else { return false }
        let snapshot = try TextSnapshot(
            table, hasLengths: text.index.tokenizer.hasLengths, store.readerForWalk())
        do {
            let isWanted = try Self.hasManyUnmerged(
                of: text.storedClass, in: table, snapshot.reader, unmergedLimit)
            if isWanted, try enterUnmerged(snapshot) { return true }
            if let range = Self.segmentsToMerge(snapshot.segments) {
                return try merge(range, snapshot)
            }
        } catch BackendError.conflict {}
        return false
    }

    /// Whether the rows whose records are asked are so many, or their records so long, that a segment is to be
    /// made of them.
    ///
    /// Of fewer rows than `limit`, the records of some tell how long all are.
    static func hasManyUnmerged(
        of storedClass: StoredClass, in table: TableNumber, _ reader: any BackendReader,
        _ limit: Int
    ) throws -> Bool {
        let range = KeyRange(prefix: TextKeys.key(.unmerged))
        let count = try reader.count(of: range, in: table, upTo: limit)
        if count == 0 || count >= limit { return count > 0 }
        let cursor = try reader.entries(in: table, range: range, descending: false)
        let (run, record) = (EntryRun(), DataBuffer())
        var (looked, bytes) = (0, 0)
        while looked < samples, bytes < unmergedBytesLimit, try cursor.next(run, limit: samples) {
            while looked < samples, bytes < unmergedBytesLimit, let (key, _) = run.next() {
                guard let row = TextKeys.number(in: key, at: 1) else { continue }
                looked += 1
                if try reader.value(of: RowID(row), in: storedClass.table, into: record) {
                    bytes += record.count
                }
            }
        }
        return bytes / max(looked, 1) * count >= unmergedBytesLimit
    }

    /// Makes a segment of the records that are asked. Returns whether it made a commit.
    func enterUnmerged(_ snapshot: TextSnapshot) throws -> Bool {
        guard let table = text.table else { return false }
        // Made before the batch, which other commits wait for.
        let draft = SegmentDraft(text.index.tokenizer)
        let rows = try addUnmerged(of: snapshot, to: draft)
        if rows.isEmpty { return false }
        let lengths = rows.compactMap { row in
            snapshot.unmerged[row]?.segmented.map { (row: row.rawValue, length: Int64($0)) }
        }
        try commit { batch in
            for row in rows { try batch.deleteKey(UnmergedRow.key(of: row), in: table) }
            try draft.write(
                order: store.basis.rawValue + 1, to: batch, table,
                voiding: (lengths.count, lengths.reduce(0) { $0 + $1.length }))
            if !snapshot.segments.isEmpty {
                try Self.putVoided(lengths.map(\.row), of: draft.number, in: batch, table)
            }
        }
        return true
    }

    /// Adds the texts of the rows whose records are asked, as far as there is room. Returns these rows, in
    /// ascending order, but for those whose records cannot be read: they stay as they are.
    private func addUnmerged(
        of snapshot: TextSnapshot, to draft: SegmentDraft
    ) throws -> [RowID] {
        let cursor = RowCursor(store, store.fields(of: text.storedClass), ofRecords: true)
        let wanted = snapshot.unmerged.keys.sorted()
        let lookup = RecordLookup(of: text.storedClass)
        lookup.begin(wanted)
        var rows: [RowID] = []
        for row in wanted {
            // What does not fit waits for the next time.
            if draft.size > TextKeeper.draftLimit { break }
            if let record = try lookup.next(in: snapshot.reader) {
                do {
                    if try cursor.take(record, at: row) {
                        try text.source.withText(of: cursor) {
                            if let bytes = $0 { try draft.add(bytes, of: row) }
                        }
                    }
                } catch let error as StoreError {
                    store.log(.warning, "Left out of the text index '\(text.name)': \(error)")
                    continue
                }
            }
            rows.append(row)
        }
        return rows
    }

    /// Puts which rows a segment voids in those before it. `rows` are in ascending order.
    static func putVoided(
        _ rows: [UInt32], of segment: UInt32, in batch: WriteBatch, _ table: TableNumber
    ) throws {
        var start = 0
        while start < rows.count {
            let end = min(start + 1024, rows.count)
            var value: [UInt8] = []
            var former = rows[start]
            for row in rows[start..<end] {
                Varint.append(row - former, to: &value)
                former = row
            }
            try batch.put(value, for: TextKeys.key(.gone, segment, rows[start]), in: table)
            start = end
        }
    }

    /// Makes a commit of what `body` puts into a batch, if the index is still what it was.
    func commit(_ body: (WriteBatch) throws -> Void) throws {
        _ = try store.commitBesideSaves(
            ofClass: text.storedClass.number, basis: store.basis
        ) { try body($0) }
    }
}
