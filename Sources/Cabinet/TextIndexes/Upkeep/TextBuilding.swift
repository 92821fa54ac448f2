import CabinetBackend

extension TextUpkeep {
    /// Makes the index anew, of all records: until it is complete, searches look at every object, and
    /// saves enter what they change.
    ///
    /// The segments are of one commit. A row that is changed later is asked itself, whatever they say of
    /// it; what was changed before, while the index was being built, is left out of them.
    /// - Throws: `CancellationError`; what reading and committing throw. The index then stays as far as it
    ///   is, and is begun anew the next time.
    func build(_ progress: IndexProgress?) throws {
        try begin()
        try store.advance()
        var snapshot = try freshAreUnknown()
        while snapshot == nil {
            try store.advance()
            snapshot = try freshAreUnknown()
        }
        guard let snapshot, let table = text.table else { return }
        let storedClass = texts.storedClass
        progress?.begin(max(try snapshot.reader.count(of: storedClass.table), 1))
        var draft = SegmentDraft(hasPositions: snapshot.hasPositions)
        let candidate = Candidate(store, store.fields(of: storedClass), ofRecords: true)
        let cursor = try snapshot.reader.records(in: storedClass.table)
        let run = RecordRun()
        while try cursor.next(run) {
            if progress?.isCancelled == true { throw CancellationError() }
            var looked = 0
            while let (row, record) = run.next() {
                looked += 1
                guard !snapshot.freshRows.contains(row), try candidate.take(record, at: row)
                else { continue }
                do {
                    try text.source.withText(of: candidate) {
                        if let bytes = $0 { try draft.add(bytes, of: row, text.source) }
                    }
                } catch let error as StoreError {
                    store.log(.warning, "Left out of the text index '\(text.name)': \(error)")
                }
                if draft.size > TextKeeper.draftLimit { try write(&draft, in: table) }
            }
            progress?.count(looked)
        }
        if !draft.isEmpty { try write(&draft, in: table) }
        try finish()
    }

    /// Commits that the index is being built, in a new table.
    private func begin() throws {
        while true {
            var entries = try store.reader.textEntries(ofClass: texts.storedClass.number)
            let entry = text.freshEntry(.building)
            let batch = store.backend.makeBatch()
            do {
                if let former = text.table { try batch.drop(former) }
                let definition = try store.backend.claim(
                    TableClaim(kind: .ordered, name: entry.table))
                try batch.define(definition)
                entries[text.name] = entry
                try put(entries, in: batch)
                try commit(batch)
                return
            } catch BackendError.conflict {
                try store.advance()
            }
        }
    }

    /// What is noted of rows that were changed while the index was being built says that no segment knows
    /// them. `nil` if other stores have changed more meanwhile.
    private func freshAreUnknown() throws -> TextSnapshot? {
        _ = try store.textKeeper?.texts(of: texts.storedClass)
        guard let table = text.table, text.entry?.state == .building else { return nil }
        let snapshot = try TextSnapshot(
            table, hasPositions: text.index.tokenizer.hasPositions, store.readerForWalk())
        let batch = store.backend.makeBatch()
        for (row, fresh) in snapshot.fresh where fresh.segmented != nil {
            try batch.put(
                FreshRow(segmented: nil).bytes, for: TextKeys.key(.fresh, row.rawValue), in: table)
        }
        do { try commit(batch) } catch BackendError.conflict { return nil }
        return snapshot
    }

    private func write(_ draft: inout SegmentDraft, in table: TableNumber) throws {
        let batch = store.backend.makeBatch()
        do {
            var writer = SegmentWriter(
                .random(in: .min ... .max), hasPositions: text.index.tokenizer.hasPositions
            ) {
                try batch.put($1, for: $0, in: table)
            }
            try draft.write(to: &writer)
            try writer.finish(
                order: store.basis.rawValue + 1, rows: draft.rows, length: draft.length)
        } catch {
            store.backend.discard(batch)
            throw error
        }
        draft.removeAll()
        try commit(batch)
    }

    /// Commits that the index is complete.
    private func finish() throws {
        try store.advance()
        while true {
            var entries = try store.reader.textEntries(ofClass: texts.storedClass.number)
            guard var entry = entries[text.name], entry.state == .building else { return }
            entry.state = .complete
            entries[text.name] = entry
            let batch = store.backend.makeBatch()
            try put(entries, in: batch)
            do {
                try commit(batch)
                return
            } catch BackendError.conflict {
                try store.advance()
            }
        }
    }

    private func put(_ entries: IndexEntries, in batch: WriteBatch) throws {
        let buffer = DataBuffer()
        entries.write(to: buffer)
        try IndexEntries.textKey(ofClass: texts.storedClass.number)
            .withUnsafeBytesThrowing { key throws(BackendError) in
                try batch.put(UnsafeRawBufferPointer(buffer.memory), for: key, in: .catalog)
            }
    }
}
