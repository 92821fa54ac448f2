import CabinetBackend

extension Store {
    /// As ``scan(_:_:_:_:)``, for what indexes name and what is pending: in ascending order of the
    /// rows, pending objects last.
    func seek(
        _ plan: RowPlan, _ storedClass: StoredClass, _ filter: Filter,
        _ counts: inout ScanCounts, _ body: (Candidate) throws -> Bool
    ) throws {
        enumerations += 1
        defer { enumerations -= 1 }
        let pending = overlay.pending(of: storedClass)
        let candidate = Candidate(self, fields(of: storedClass))
        defer {
            counts.objectsRead += candidate.objectsRead
            if candidate.objectsRead > 0 {
                storedClass.reads.notePrefetch(of: candidate.objectsRead)
            }
        }
        let goesOn = try withSeekMemory { memory in
            try readRows(of: plan, into: &memory.rows, memory)
            if !pending.rows.isEmpty { memory.rows.removeAll { pending.rows.contains($0) } }
            return try forEachCandidate(candidate, at: memory.rows[...], memory) {
                counts.examined += 1
                // An object in memory may have been changed since by a filter or by `body`.
                if !plan.isExact || candidate.isInMemory {
                    guard try filter.accepts(candidate) else { return true }
                }
                counts.matched += 1
                return try body(candidate)
            }
        }
        guard goesOn else { return }
        for object in pending.objects where object.state.isPending {
            if object.state.contains(.deleted) { continue }
            candidate.take(object)
            counts.examined += 1
            guard try filter.accepts(candidate) else { continue }
            counts.matched += 1
            guard try body(candidate) else { return }
        }
    }

    /// Calls `body` with the row of each object that an exact plan leaves, in ascending order, without
    /// reading records, until it returns `false`.
    func seekRows(
        _ plan: RowPlan, _ storedClass: StoredClass, _ filter: Filter,
        _ counts: inout ScanCounts, _ body: (RowID) -> Bool
    ) throws {
        enumerations += 1
        defer { enumerations -= 1 }
        let pending = overlay.pending(of: storedClass)
        let candidate = Candidate(self, fields(of: storedClass))
        try withSeekMemory { memory in
            try readRows(of: plan, into: &memory.rows, memory)
            if !pending.rows.isEmpty { memory.rows.removeAll { pending.rows.contains($0) } }
            counts.examined += memory.rows.count
            for object in pending.objects where !object.state.contains(.deleted) {
                candidate.take(object)
                counts.examined += 1
                if try filter.accepts(candidate) { memory.rows.append(object.rowID) }
            }
            memory.rows.sort()
            for row in memory.rows {
                counts.matched += 1
                guard body(row) else { return }
            }
        }
    }

    /// Turns `candidate` to the object of each of `rows` that is still there, in their order, until
    /// `body` returns `false`.
    /// - Returns: whether `body` did not.
    func forEachCandidate(
        _ candidate: Candidate, at rows: ArraySlice<RowID>, _ memory: SeekMemory,
        _ body: () throws -> Bool
    ) throws -> Bool {
        let storedClass = candidate.fields.storedClass
        var left = rows
        while !left.isEmpty {
            let run = memory.records
            let looked = try reading { reader throws(BackendError) in
                try reader.values(of: left, in: storedClass.table, into: run)
            }
            left = left.dropFirst(looked)
            while let (row, record) = run.next() {
                do {
                    guard try candidate.take(record, at: row) else { continue }
                    guard try body() else { return false }
                } catch is Candidate.Gone {
                    continue
                }
            }
        }
        return true
    }
}

extension PendingOverlay {
    /// The objects of `storedClass` of which an index does not know what they are, and their rows.
    func pending(of storedClass: StoredClass) -> (objects: [StoredObject], rows: Set<RowID>) {
        guard hasPending else { return ([], []) }
        var objects: [StoredObject] = []
        var rows: Set<RowID> = []
        forEachPending { object in
            guard object.storedClass === storedClass else { return }
            objects.append(object)
            rows.insert(object.rowID)
        }
        return (objects, rows)
    }
}
