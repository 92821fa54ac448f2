import CabinetBackend

extension BackendRule {
    /// Changes that the feed keeps under a name, and work that is claimed.
    static let keptChanges: [BackendRule] = [
        BackendRule(
            "what a name keeps stays in the feed", needs: [.changes, .lines, .keptChanges]
        ) { bench in
            let table = try bench.makeTable()
            let start = try bench.backend.position()
            try bench.backend.keepChanges(after: start, for: "worker", limit: 100_000_000)
            let kept = [KeptChanges(name: "worker", position: start, limit: 100_000_000)]
            try bench.expectEqual(bench.backend.keptChanges(), kept, "what is kept")
            var made = [try bench.backend.lastCommit()]
            made += try bench.makeLargeCommits(in: table)
            try bench.expectEqual(bench.feed(after: start), made, "commits in the feed")
            let cursor = try bench.backend.changes(after: made[made.count - 2])
            guard let large = try cursor.next() else { throw Unexpected("no large commit") }
            try bench.commit { try $0.put([1], at: 2, in: table) }
            for _ in 0..<2 {
                try bench.expectEqual(large.rows(of: table), Array(20..<50), "rows of a commit")
                try bench.expectEqual(large.rows(of: 999), [], "rows of no table")
                var bytes = 0
                try large.forEachOperation { operation in
                    if case .putRow(_, _, let stored) = operation { bytes += stored.count }
                }
                try bench.expect(
                    3_000_000...large.size ~= bytes, "\(bytes) of \(large.size) bytes")
            }
            try bench.expectEqual(bench.backend.keptChanges(), kept, "what is kept at last")
            try bench.expectEqual(
                bench.backend.keptChanges(for: "worker"), kept[0], "what the name keeps")
            try bench.expectEqual(bench.backend.keptChanges(for: "work"), nil, "another name")
        },
        BackendRule(
            "beyond a name's limit the feed has all changes or says that they are gone",
            needs: [.changes, .lines, .keptChanges]
        ) { bench in
            let table = try bench.makeTable()
            let start = try bench.backend.position()
            try bench.backend.keepChanges(after: start, for: "worker", limit: 300_000)
            let made = [try bench.backend.lastCommit()] + (try bench.makeLargeCommits(in: table))
            do {
                try bench.expectEqual(bench.feed(after: start), made, "commits in the feed")
            } catch BackendError.changesGone(let oldest) {
                try bench.expect(oldest > start.commit, "gone, but for those after \(oldest)")
                do {
                    try bench.backend.keepChanges(after: start, for: "worker", limit: .max)
                    throw Unexpected("changes that are gone are kept")
                } catch BackendError.changesGone {}
            }
            let next = try bench.backend.position()
            try bench.backend.keepChanges(after: next, for: "worker", limit: .max)
            let again = [try bench.backend.lastCommit()] + (try bench.makeLargeCommits(in: table))
            try bench.expectEqual(
                bench.feed(after: next), again, "commits after the next position")
        },
        BackendRule(
            "a name's position moves with a commit or not at all",
            needs: [.bases, .changes, .lines, .keptChanges]
        ) { bench in
            let table = try bench.makeTable()
            let start = try bench.backend.position()
            try bench.backend.keepChanges(after: start, for: "worker", limit: 1000)
            let first = try bench.backend.lastCommit()
            let moved = KeptChanges(
                name: "worker", position: try bench.backend.position(), limit: 2000)
            try bench.expectRefusal(.noTable(999), "a refused batch") { batch in
                try batch.keepChanges(moved)
                try batch.put([1], at: 2, in: 999)
            }
            try bench.expectEqual(
                bench.backend.keptChanges().map(\.position), [start], "after a refused batch")
            let held = try bench.backend.snapshot()
            try bench.commit { batch in
                try batch.keepChanges(moved)
                try batch.put([1], at: 2, in: table)
            }
            try bench.expectEqual(bench.backend.keptChanges(), [moved], "after a commit")
            try bench.expectEqual(
                held.keptChanges().map(\.position), [start], "at the commit before")
            do {
                try bench.commit { batch in
                    batch.basis = first
                    try batch.keepChanges(moved)
                }
                throw Unexpected("two workers have moved one position")
            } catch BackendError.conflict {}
        },
        BackendRule(
            "a name is let go, and takes no position that does not hold",
            needs: [.changes, .lines, .keptChanges]
        ) { bench in
            _ = try bench.makeTable()
            let start = try bench.backend.position()
            let backend = bench.backend
            try backend.keepChanges(after: start, for: "b", limit: 1)
            try backend.keepChanges(after: start, for: "a", limit: 2)
            for position in [
                ChangePosition(line: start.line, commit: start.commit.advanced(by: 100)),
                ChangePosition(line: start.line &+ 1, commit: start.commit),
            ] {
                do {
                    try backend.keepChanges(after: position, for: "a", limit: 3)
                } catch BackendError.changesGone {
                    continue
                }
                throw Unexpected("\(position) is kept")
            }
            let long = String(repeating: "x", count: KeptChanges.longestName + 1)
            try bench.expectError(.tooLarge(limit: KeptChanges.longestName), "a long name") {
                try backend.keepChanges(after: start, for: long, limit: 4)
            }
            try bench.expectEqual(backend.keptChanges().map(\.name), ["a", "b"], "names")
            try bench.expectEqual(backend.keptChanges().map(\.limit), [2, 1], "limits")
            try backend.letGoOfChanges(for: "a")
            let last = try backend.lastCommit()
            try backend.letGoOfChanges(for: "a")
            try bench.expectEqual(backend.lastCommit(), last, "the commit of nothing")
            try bench.expectEqual(backend.keptChanges().map(\.name), ["b"], "names")
        },
        BackendRule(
            "a name keeps its changes when the store is opened again", needsReopening: true,
            needs: [.changes, .lines, .keptChanges]
        ) { bench in
            let table = try bench.makeTable()
            let start = try bench.backend.position()
            try bench.backend.keepChanges(after: start, for: "worker", limit: .max)
            let kept = try bench.backend.keptChanges()
            let made = [try bench.backend.lastCommit()] + (try bench.makeLargeCommits(in: table))
            for access in [Access.readOnly, .readWrite] {
                try bench.reopen(access)
                try bench.expectEqual(bench.backend.keptChanges(), kept, "kept, \(access)")
                try bench.expectEqual(bench.feed(after: start), made, "commits, \(access)")
            }
        },
        BackendRule("work is claimed once at a time", needs: .workClaims) { bench in
            let backend = bench.backend
            func claim(_ name: String) throws -> WorkClaim {
                guard let claim = try backend.claimWork(name) else {
                    throw Unexpected("\(name) is refused")
                }
                return claim
            }
            let first = try claim("indexes")
            try bench.expect(try backend.claimWork("indexes") == nil, "claimed twice")
            var other: WorkClaim? = try claim("texts")
            first.end()
            first.end()
            let second = try claim("indexes")
            try bench.expect(try backend.claimWork("texts") == nil, "claimed twice")
            withExtendedLifetime(other) {}
            other = nil
            other = try claim("texts")
            try bench.expect(try backend.claimWork("indexes") == nil, "claimed twice")
            withExtendedLifetime((second, other)) {}
            try backend.close()
            try bench.expectError(.closed, "a closed store") { _ = try backend.claimWork("x") }
        },
    ]
}

extension Bench {
    /// Commits of 4,500,000 bytes in all, the last of 3,000,000.
    fileprivate func makeLargeCommits(in table: TableNumber) throws -> [CommitNumber] {
        var made: [CommitNumber] = []
        for row in 2..<17 as Range<RowID> {
            made.append(
                try commit { try $0.put(pattern(row.rawValue, 100_000), at: row, in: table) })
        }
        made.append(
            try commit { batch in
                for row in 20..<50 as Range<RowID> {
                    try batch.put(pattern(row.rawValue, 100_000), at: row, in: table)
                }
            })
        return made
    }

    func feed(after position: ChangePosition) throws -> [CommitNumber] {
        var found: [CommitNumber] = []
        let cursor = try backend.changes(after: position)
        while let commit = try cursor.next() { found.append(commit.number) }
        return found
    }
}
