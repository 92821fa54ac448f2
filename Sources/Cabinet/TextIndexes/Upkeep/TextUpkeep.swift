import CabinetBackend

/// Commits that change how a text index is kept, and not what it says: none of a user's saves waits for
/// them.
///
/// It has a store of its own, which reads as of one commit. If another store has changed the same
/// entries meanwhile, the commit conflicts, and is made later.
struct TextUpkeep {
    /// What ``freshLimit`` is if nothing else is said.
    static let defaultFreshLimit = 512
    /// So many segments of one size, one after the other, become one.
    static let segmentsOfSize = 4
    /// A segment of more postings stays as it is.
    static let postingsLimit: UInt64 = 8_000_000

    let store: Store
    let texts: ClassTexts
    let text: ClassText
    /// From how many rows on whose records are asked a segment is made of them.
    var freshLimit = Self.defaultFreshLimit

    /// Brings the index into form, as far as it needs that. Returns whether it made a commit.
    /// - Throws: what reading and committing throw, but for conflicts.
    func run() throws -> Bool {
        guard text.isComplete, let table = text.table else { return false }
        let snapshot = try TextSnapshot(
            table, hasPositions: text.index.tokenizer.hasPositions, store.readerForWalk())
        do {
            if snapshot.fresh.count > 0, snapshot.fresh.count >= freshLimit {
                return try enterFresh(snapshot)
            }
            if let range = Self.segmentsToMerge(snapshot.segments) {
                try merge(range, snapshot)
                return true
            }
        } catch BackendError.conflict {}
        return false
    }

    /// Makes a segment of the records that are asked.
    func enterFresh(_ snapshot: TextSnapshot) throws -> Bool {
        guard let table = text.table, !snapshot.fresh.isEmpty else { return false }
        let batch = store.backend.makeBatch()
        var draft = SegmentDraft(hasPositions: snapshot.hasPositions)
        let candidate = Candidate(store, store.fields(of: texts.storedClass), ofRecords: true)
        let record = DataBuffer()
        var (voided, voidedLength) = ([UInt32](), 0)
        do {
            for row in snapshot.fresh.keys.sorted() {
                // What does not fit waits for the next time.
                if draft.size > TextKeeper.draftLimit { break }
                try batch.deleteKey(TextKeys.key(.fresh, row.rawValue), in: table)
                if let length = snapshot.fresh[row]?.segmented {
                    voided.append(row.rawValue)
                    voidedLength += length
                }
                guard
                    try snapshot.reader.value(
                        of: row, in: texts.storedClass.table, into: record)
                else { continue }
                try record.withUnsafeBytes { bytes in
                    guard try candidate.take(bytes, at: row) else { return }
                    try text.source.withText(of: candidate) {
                        if let bytes = $0 { try draft.add(bytes, of: row, text.source) }
                    }
                }
            }
            let order = store.basis.rawValue + 1
            let number = UInt32.random(in: .min ... .max)
            var writer = SegmentWriter(number, hasPositions: snapshot.hasPositions) {
                try batch.put($1, for: $0, in: table)
            }
            try draft.write(to: &writer)
            try writer.finish(
                order: order, rows: draft.rows - Int64(voided.count),
                length: draft.length - Int64(voidedLength))
            if !snapshot.segments.isEmpty {
                try Self.putVoided(voided, of: number, in: batch, table)
            }
        } catch {
            store.backend.discard(batch)
            throw error
        }
        try commit(batch)
        return true
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

    /// Commits a batch that is based on what the store reads, if the index is still what it was.
    func commit(_ batch: WriteBatch) throws {
        batch.basis = store.basis
        IndexEntries.textKey(ofClass: texts.storedClass.number).withUnsafeBytes {
            batch.require(.unchanged, key: $0, in: .catalog)
        }
        try store.backend.commit(batch)
        _ = store.hub.didCommit()
    }
}
