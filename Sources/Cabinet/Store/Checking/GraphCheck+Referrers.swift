import CabinetBackend

extension GraphCheck {
    /// Checks that the table of referrers says nothing but what the records say. Must run after the
    /// check of the records.
    func checkReferrers() async throws {
        guard let referrers else { return }
        let run = EntryRun()
        let cursor = try backend.entries(
            in: referrers.table, range: .everything, descending: false)
        var last: ClassRow?
        while try cursor.next(run) {
            var count = 0
            while let (key, value) = run.next() {
                count += 1
                if UnmergedBlock.isKey(key) {
                    count += try checkUnmerged(value)
                    continue
                }
                guard let entry = ReferrerKeys.Entry(key) else {
                    report.add(CheckFinding(.strayReferrer, reason: "no class and row in its key"))
                    continue
                }
                guard referrers.complete.contains(entry.target.classNumber) else { continue }
                try checkMirror(of: entry, referrers)
                if entry.direction == .byOwner, entry.owner != last {
                    last = entry.owner
                    try checkOwner(entry.owner)
                }
            }
            try await pause(count)
        }
    }

    /// Checks the owners of an unmerged block. Returns how many there are.
    private func checkUnmerged(_ value: UnsafeRawBufferPointer) throws -> Int {
        var owners: [ClassRow] = []
        do {
            try UnmergedBlock.forEachOwner(in: value) { owner, _ in owners.append(owner) }
        } catch is DataBufferError {
            report.add(CheckFinding(.strayReferrer, reason: "no owners and targets in its block"))
        }
        for owner in owners { try checkOwner(owner) }
        return owners.count
    }

    /// Each reference that keys tell stands in the table twice.
    private func checkMirror(of entry: ReferrerKeys.Entry, _ referrers: SavedReferrers) throws {
        let mirror = entry.mirror.bytes
        // It may have come or gone with a save meanwhile.
        for _ in 0..<3 {
            if try referrers.has(mirror) { return }
            guard try referrers.has(entry.bytes) else { return }
        }
        add(
            entry.direction == .byTarget
                ? .strayReferrer(entry.target) : .missingReferrer(entry.target), of: entry.owner)
    }

    /// An owner whose record was not seen to refer to anything that is tracked.
    private func checkOwner(_ owner: ClassRow) throws {
        guard compared[owner.classNumber]?.contains(owner.row) != true else { return }
        guard let storedClass = decoder.schema[owner.classNumber] else {
            return add(.strayReferrer(owner), of: owner)
        }
        let look = SteadyLook(backend: backend, table: storedClass.table, row: owner.row)
        var isReadable = true
        let findings = try Self.confirmed(.referrers, by: look, referrers, owner) { record in
            do {
                if let found = try references(in: record, owner.row, storedClass) { return found }
            } catch is StoreError {}
            isReadable = false
            return []
        }
        if isReadable {
            for finding in findings { add(finding, of: owner) }
        } else if doubtful.count < CheckReport.limit {
            doubtful.insert(owner)
        }
    }
}
