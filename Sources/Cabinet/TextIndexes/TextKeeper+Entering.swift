import CLibrary
import CabinetBackend

// What a commit adds to the tables of text indexes.
extension TextKeeper {
    /// Enters what a commit changes of the text of a row.
    func enter(
        _ row: RowID, _ text: ClassText, from former: RowCursor?, to new: RowCursor?,
        in commit: Commit
    ) throws {
        guard let former else {
            if let new { try insert(text, new, row, in: commit) }
            return
        }
        do {
            if let new {
                if try keepsText(text, from: former, to: new) { return }
                unmergedBytesOfCommit += try text.source.withText(of: new) { $0?.count ?? 0 }
            }
            let unmerged =
                try segmented(row, of: text)
                ?? UnmergedRow(segmented: try text.source.length(of: former))
            try putUnmerged(row, unmerged, of: text, in: commit)
        } catch let error as StoreError {
            try replaceUnreadable(text, row, error, in: commit)
        }
    }

    /// Of a damaged record no text is known: what the segments count of it stays counted, and does not keep
    /// the store from replacing it.
    func replaceUnreadable(
        _ text: ClassText, _ row: RowID, _ error: any Error, in commit: Commit
    ) throws {
        store.log(.warning, "Its text is not taken out of '\(text.name)': \(error)")
        let known = try segmented(row, of: text)
        try putUnmerged(row, known ?? UnmergedRow(segmented: 0), of: text, in: commit)
    }

    func hasUnmerged(_ table: TableNumber) throws -> Bool {
        try store.reader.count(of: KeyRange(prefix: TextKeys.key(.unmerged)), in: table, upTo: 1)
            > 0
    }

    /// Whether the texts of the record and of the object that replaces it are the same bytes.
    private func keepsText(
        _ text: ClassText, from former: RowCursor, to new: RowCursor
    ) throws -> Bool {
        try text.source.withText(of: former) { former in
            try text.source.withText(of: new) { new in
                guard let former, let new else { return former == nil && new == nil }
                guard former.count == new.count, let one = former.baseAddress,
                    let other = new.baseAddress
                else { return former.count == new.count }
                return memcmp(one, other, new.count) == 0
            }
        }
    }

    /// Enters the text of an object whose row the segments do not know.
    private func insert(
        _ text: ClassText, _ new: RowCursor, _ row: RowID, in commit: Commit
    ) throws {
        // A row that comes back may be one whose record is to be asked.
        let known = !text.makesSegments || text.hasUnmerged ? try segmented(row, of: text) : nil
        guard text.makesSegments, !text.isBeingBuilt, known == nil else {
            unmergedBytesOfCommit += try text.source.withText(of: new) { $0?.count ?? 0 }
            return try putUnmerged(row, known ?? UnmergedRow(segmented: nil), of: text, in: commit)
        }
        let mayHaveGrown = try text.source.withText(of: new) { bytes in
            try bytes.map { try text.draft.add($0, of: row) } ?? false
        }
        guard mayHaveGrown, text.draft.size > Self.draftLimit else { return }
        try writeSegment(of: text, in: commit)
    }

    /// What is noted of a row that was changed before; `nil` if the segments know it.
    private func segmented(_ row: RowID, of text: ClassText) throws -> UnmergedRow? {
        guard let table = text.table, text.isKnown else { return nil }
        if text.unmerged == nil, text.ownCommits >= Self.ownCommitsLimit {
            try readUnmerged(of: text)
        }
        if let unmerged = text.unmerged { return unmerged[row] }
        let isUnmerged = try store.reader.value(
            forKey: UnmergedRow.key(of: row), in: table, into: found)
        return isUnmerged ? found.withUnsafeBytes { UnmergedRow($0) } : nil
    }

    /// After so many commits of a store that no other store has come between, it keeps the rows whose
    /// records are asked in memory: a look into the table is a fifth of a small save.
    private static let ownCommitsLimit = 8

    /// Reads the rows whose records are asked, if they are few.
    private func readUnmerged(of text: ClassText) throws {
        text.ownCommits = 0
        guard let table = text.table else { return }
        let range = KeyRange(prefix: TextKeys.key(.unmerged))
        let reader = store.reader
        guard
            try reader.count(of: range, in: table, upTo: ClassText.unmergedLimit)
                < ClassText.unmergedLimit
        else { return }
        var unmerged: [RowID: UnmergedRow] = [:]
        let cursor = try reader.entries(in: table, range: range, descending: false)
        let run = EntryRun()
        while try cursor.next(run, limit: 1024) {
            while let (key, value) = run.next() {
                guard let row = TextKeys.number(in: key, at: 1) else { continue }
                unmerged[RowID(row)] = UnmergedRow(value)
            }
        }
        text.unmerged = unmerged
    }

    /// The entry is put also if it is there, so that a commit which makes segments meanwhile conflicts.
    private func putUnmerged(
        _ row: RowID, _ unmerged: UnmergedRow, of text: ClassText, in commit: Commit
    ) throws {
        guard let table = text.table else { return }
        unmergedOfCommit += 1
        if text.unmerged != nil { text.unmergedOfCommit.append((row, unmerged)) }
        try unmerged.put(row, in: table, to: commit.batch)
    }

    /// Makes a segment of what was collected.
    func writeSegment(of text: ClassText, in commit: Commit) throws {
        guard let table = text.table else { return }
        if text.isKnown, store.isIsolated, store.frozen != nil || store.slot.isShared {
            TextUpkeep.requireNoVoidingMerge(in: commit.batch, table)
        }
        try text.draft.finish().write(order: store.basis.rawValue + 1, to: commit.batch, table)
        text.draft.removeAll()
    }
}
