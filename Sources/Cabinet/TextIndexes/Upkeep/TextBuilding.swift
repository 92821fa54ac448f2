import CabinetBackend

extension TextUpkeep {
    /// Makes the index anew, of all records: until it is complete, searches look at every object, and
    /// saves enter what they change.
    ///
    /// The segments are of one commit. A row that is changed later is asked itself, whatever they say of
    /// it; what was changed before, while the index was being built, is left out of them. If others change
    /// what the catalog says of the indexes of the class meanwhile, the index is begun anew.
    /// - Throws: `CancellationError`; what reading and committing throw. The index then stays as far as it
    ///   is, and is begun anew the next time.
    func build(_ progress: UpkeepProgress?) throws {
        for _ in 0..<Self.attemptsLimit {
            do { return try buildOnce(progress) } catch BackendError.conflict {
                try store.advance()
                try derived.look()
                if text.isComplete { return }
            }
        }
        throw BackendError.conflict([])
    }

    private static var attemptsLimit: Int { 1_000 }

    private func buildOnce(_ progress: UpkeepProgress?) throws {
        let entry = try begin()
        try store.waitForUnawares {
            if progress?.isCancelled == true { throw CancellationError() }
        }
        try store.advance()
        var snapshot = try freshAreUnknown(entry)
        while snapshot == nil {
            if progress?.isCancelled == true { throw CancellationError() }
            try store.advance()
            // Another program has left the index behind, or another store has begun it anew.
            try derived.look()
            guard text.entry == entry else { return }
            snapshot = try freshAreUnknown(entry)
        }
        guard let snapshot, let table = text.table else { return }
        let storedClass = texts.storedClass
        let draft = DraftThread(text.index.tokenizer)
        let candidate = Candidate(store, store.fields(of: storedClass), ofRecords: true)
        let cursor = try snapshot.reader.records(in: storedClass.table)
        let run = RecordRun()
        while try cursor.next(run) {
            if progress?.isCancelled == true { throw CancellationError() }
            var looked = 0
            while let (row, record) = run.next() {
                looked += 1
                if snapshot.freshRows.contains(row) { continue }
                do {
                    guard try candidate.take(record, at: row) else { continue }
                    try text.source.withText(of: candidate) {
                        if let bytes = $0 { _ = try draft.add(bytes, of: row) }
                    }
                } catch let error as StoreError {
                    store.log(.warning, "Left out of the text index '\(text.name)': \(error)")
                }
                if draft.size > TextKeeper.draftLimit { try write(draft, in: table) }
            }
            progress?.count(looked)
        }
        if !draft.isEmpty { try write(draft, in: table) }
        try finish(entry)
    }

    /// Commits that the index is being built, in a new table. Returns what the catalog says of it then.
    private func begin() throws -> DerivedEntry {
        while true {
            // Its table may be another one by now.
            try derived.look()
            if let entry = try derived.commitAnew(text, of: texts.tables) { return entry }
            try store.advance()
        }
    }

    /// What is noted of rows that were changed while the index was being built says that no segment knows
    /// them. `nil` if other stores have changed more meanwhile.
    private func freshAreUnknown(_ entry: DerivedEntry) throws -> TextSnapshot? {
        try derived.look()
        guard let table = text.table, text.entry == entry else { return nil }
        let snapshot = try TextSnapshot(
            table, hasLengths: text.index.tokenizer.hasLengths, store.readerForWalk())
        do {
            try commit { batch in
                for (row, fresh) in snapshot.fresh where fresh.segmented != nil {
                    try FreshRow(segmented: nil).put(row, in: table, to: batch)
                }
            }
        } catch BackendError.conflict { return nil }
        return snapshot
    }

    private func write(_ thread: DraftThread, in table: TableNumber) throws {
        let draft = try thread.finish()
        try commit { try draft.write(order: store.basis.rawValue + 1, to: $0, table) }
        thread.removeAll()
    }

    /// Commits that the index is complete, unless the catalog says something else by now than `built`: it may
    /// have been begun anew, in another table.
    private func finish(_ built: DerivedEntry) throws {
        try store.advance()
        try derived.look()
        while var entry = text.entry, entry == built {
            entry.state = .complete
            if try derived.commit(entry, of: texts.tables) { return }
            try store.advance()
            try derived.look()
        }
    }
}
