import CLibrary
import CabinetBackend

// What a commit adds to the tables of text indexes.
extension TextKeeper {
    /// Finds out which indexes of a class take part in the commit, and defines those of a class that has
    /// no records yet.
    /// - Throws: ``StoreError/indexLeftOut(class:index:)``.
    func prepare(_ texts: ClassTexts, for commit: Commit) throws {
        try look()
        texts.isPrepared = true
        let storedClass = texts.storedClass
        texts.makesSegments = commit.isSave && storedClass.pendingInserts >= Self.segmentFrom
        if texts.makesSegments {
            for text in texts.all {
                text.hasFresh = try text.table.map(hasFresh) ?? false
                text.isBeingBuilt = text.entry?.state == .building
            }
        }
        if texts.areInForce {
            // While a store is alone, none can change them, but one that is just being opened: the commit
            // then requires that it has committed nothing.
            if store.isIsolated, store.frozen != nil || store.slot.isShared {
                requireUnchanged(storedClass, in: commit)
            }
            return
        }
        var entries = texts.entries
        entries.isUnreadable = false
        let isEmpty =
            try entries.all.isEmpty || texts.all.contains { $0.entry == nil }
            ? store.isEmpty(storedClass, in: commit) : false
        let mayBeComplete = isEmpty && !store.isCommittedToUnawares
        for text in texts.all {
            if let entry = text.entry, text.isAsDefined {
                text.takesPart = entry.state.takesPart
            } else if text.entry == nil, mayBeComplete {
                let entry = text.freshEntry(.complete)
                text.table = try store.defineTable(of: entry, in: commit.batch)
                text.takesPart = true
                entries[text.name] = entry
            } else {
                text.takesPart = false
                if !text.isAskedFor { asksForWork = store.isIsolated }
                text.isAskedFor = true
            }
        }
        for neglected in texts.neglected { entries.leaveBehind(neglected, at: store.basis) }
        if let leftOut = texts.leftOut(by: entries) {
            throw StoreError.indexLeftOut(class: storedClass.name, index: leftOut.name)
        }
        // The first records of a class conflict with a commit that takes it for empty.
        if entries != texts.entries || isEmpty {
            texts.entriesOfCommit = entries
            try entries.putTexts(ofClass: storedClass.number, in: commit.batch)
        } else if store.isIsolated {
            requireUnchanged(storedClass, in: commit)
        }
    }

    private func requireUnchanged(_ storedClass: StoredClass, in commit: Commit) {
        if GuardedStep.unchangedTexts.isLeftOut { return }
        IndexEntries.requireUnchangedTexts(ofClass: storedClass.number, in: commit.batch)
    }

    private func hasFresh(_ table: TableNumber) throws -> Bool {
        try store.reader.count(of: KeyRange(prefix: TextKeys.key(.fresh)), in: table) > 0
    }

    /// Whether the texts of the record and of the object that replaces it are the same bytes.
    func keepsText(_ text: ClassText, _ texts: ClassTexts) throws -> Bool {
        try text.source.withText(of: texts.replaced) { former in
            try text.source.withText(of: texts.written) { new in
                guard let former, let new else { return former == nil && new == nil }
                guard former.count == new.count, let one = former.baseAddress,
                    let other = new.baseAddress
                else { return former.count == new.count }
                return memcmp(one, other, new.count) == 0
            }
        }
    }

    /// Enters the text of an object whose row the segments do not know.
    func insert(
        _ text: ClassText, _ texts: ClassTexts, _ row: RowID, in commit: Commit
    ) throws {
        // A row that comes back may be one whose record is to be asked.
        let known = !texts.makesSegments || text.hasFresh ? try segmented(row, of: text) : nil
        guard texts.makesSegments, !text.isBeingBuilt, known == nil else {
            freshBytesOfCommit += try text.source.withText(of: texts.written) { $0?.count ?? 0 }
            return try putFresh(row, known ?? FreshRow(segmented: nil), of: text, in: commit)
        }
        let mayHaveGrown = try text.source.withText(of: texts.written) { bytes in
            try bytes.map { try text.draft.add($0, of: row) } ?? false
        }
        guard mayHaveGrown, text.draft.size > Self.draftLimit else { return }
        try writeSegment(of: text, in: commit)
    }

    /// What the segments say of the row does not count any more.
    func replace(
        _ text: ClassText, _ texts: ClassTexts, _ row: RowID, in commit: Commit
    ) throws {
        let fresh =
            try segmented(row, of: text)
            ?? FreshRow(segmented: try text.source.length(of: texts.replaced))
        try putFresh(row, fresh, of: text, in: commit)
    }

    /// What is noted of a row that was changed before; `nil` if the segments know it.
    func segmented(_ row: RowID, of text: ClassText) throws -> FreshRow? {
        guard let table = text.table, text.isKnown else { return nil }
        if text.fresh == nil, text.ownCommits >= Self.ownCommitsLimit { try readFresh(of: text) }
        if let fresh = text.fresh { return fresh[row] }
        let isFresh = try FreshRow.withKey(of: row) { key throws(BackendError) in
            try store.reader.value(forKey: key, in: table, into: found)
        }
        return isFresh ? found.withUnsafeBytes { FreshRow($0) } : nil
    }

    /// After so many commits of a store that no other store has come between, it keeps the rows whose
    /// records are asked in memory: a look into the table is a fifth of a small save.
    private static let ownCommitsLimit = 8

    /// Reads the rows whose records are asked, if they are few.
    private func readFresh(of text: ClassText) throws {
        text.ownCommits = 0
        guard let table = text.table else { return }
        let range = KeyRange(prefix: TextKeys.key(.fresh))
        let reader = store.reader
        guard try reader.count(of: range, in: table) < ClassText.freshLimit else { return }
        var fresh = FreshRows()
        let cursor = try reader.entries(in: table, range: range, descending: false)
        let run = EntryRun()
        while try cursor.next(run, limit: 1024) {
            while let (key, value) = run.next() {
                guard let row = TextKeys.number(in: key, at: 1) else { continue }
                fresh.set(RowID(row), FreshRow(value))
            }
        }
        text.fresh = fresh
    }

    /// The entry is put also if it is there, so that a commit which makes segments meanwhile conflicts.
    func putFresh(
        _ row: RowID, _ fresh: FreshRow, of text: ClassText, in commit: Commit
    ) throws {
        guard let table = text.table else { return }
        freshOfCommit += 1
        if text.fresh != nil { text.freshOfCommit.append((row, fresh)) }
        try fresh.put(row, in: table, to: commit.batch)
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
