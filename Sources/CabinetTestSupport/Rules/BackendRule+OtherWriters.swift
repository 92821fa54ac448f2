import CabinetBackend

extension BackendRule {
    /// Several backends of one store that commit, as programs of their own do.
    static let otherWriters: [BackendRule] = [
        shared("what another writer has committed is seen after a refresh") { bench, other in
            try bench.expect(bench.backend.hasOtherWriters, "the engine denies other writers")
            try bench.expectEqual(other.identity, bench.backend.identity, "the store's number")
            let table = try bench.makeTable()
            let first = try bench.backend.lastCommit()
            try bench.expectEqual(other.refresh(), first, "the last commit")
            try bench.expectEqual(other.tables().map(\.number), [table], "tables")
            try bench.commit { batch in
                for row in 2..<9 as Range<RowID> { try batch.put([1], at: row, in: table) }
            }
            let made = try bench.commit { batch in
                try batch.put([2], at: 3, in: table)
                try batch.deleteRow(4, in: table)
                try batch.put([1], at: 20, in: table)
            }
            try bench.expectEqual(other.refresh(), made, "the last commit")
            try bench.expectEqual(other.lastCommit(), made, "the last commit, asked again")
            try bench.expectEqual(other.value(of: 3, in: table), [2], "row 3")
            try bench.expectEqual(other.value(of: 4, in: table), nil, "row 4")
            try bench.expectEqual(other.count(of: table), 7, "count")
            try bench.commit { try $0.deleteRow(20, in: table) }
            // A writer's own commit takes up those before it.
            let number = try other.commit { try $0.put([5], at: 21, in: table) }
            try bench.expectEqual(number, made.advanced(by: 2), "the number of a later commit")
            try bench.expectEqual(other.lastCommit(), number, "the last commit, after one's own")
            try bench.expectEqual(
                other.rows(in: table).map(\.row), [2, 3, 5, 6, 7, 8, 21], "rows")
            try bench.expectEqual(bench.backend.refresh(), number, "the last commit of both")
        },
        shared(
            "a batch conflicts with what another writer has changed", needs: [.bases, .snapshots]
        ) { bench, other in
            let (table, index) = try rowsAndKeys(bench)
            let basis = try other.refresh()
            let held = try other.snapshot()
            try bench.commit { batch in
                try batch.put([7], at: 2, in: table)
                try batch.deleteRow(3, in: table)
                try batch.put([7], at: 9, in: table)
                try batch.put([7], for: [1], in: index)
            }
            func change(asOf basis: CommitNumber) throws -> CommitNumber {
                try other.commit { batch in
                    batch.basis = basis
                    for row in [2, 3, 4, 10] as [RowID] { try batch.put([8], at: row, in: table) }
                    for key in [[1], [3]] as [[UInt8]] { try batch.put([8], for: key, in: index) }
                    batch.require(.unchanged, row: 9, in: table)
                }
            }
            try bench.expectError(
                .conflict(
                    [
                        .row(2, table: table), .row(3, table: table), .row(9, table: table),
                        .key([1], table: index),
                    ].sorted()), "another's changes"
            ) { _ = try change(asOf: basis) }
            try bench.expectEqual(other.refresh(), basis.next, "the last commit after a conflict")
            try bench.expectEqual(other.value(of: 10, in: table), nil, "a refused row")
            try bench.expectEqual(
                change(asOf: basis.next), basis.advanced(by: 2), "the commit on a later basis")
            withExtendedLifetime(held) {}
        },
        shared(
            "several writers who each add to what they have read lose nothing",
            needs: [.bases, .snapshots]
        ) { bench, other in
            let table = try bench.makeTable()
            try bench.commit { try $0.put([0], at: 2, in: table) }
            let reads = Rounds()
            try eachInParallel(bench, other) { backend, _ in
                defer { reads.end() }
                var left = 20
                while left > 0 {
                    try backend.refresh()
                    let reader = try backend.snapshot()
                    guard let read = try reader.value(of: 2, in: table)?.first else {
                        throw Unexpected("row 2 is gone")
                    }
                    reads.count()
                    // Both have read the same at first.
                    while !reads.hasReached(2) { Rounds.pause() }
                    do {
                        try backend.commit { batch in
                            batch.basis = try reader.lastCommit()
                            try batch.put([read + 1], at: 2, in: table)
                        }
                        left -= 1
                    } catch BackendError.conflict(let conflicts) {
                        guard conflicts == [.row(2, table: table)] else {
                            throw Unexpected("\(conflicts)")
                        }
                    }
                }
            }
            for backend in [bench.backend, other] {
                try backend.refresh()
                try bench.expectEqual(backend.value(of: 2, in: table), [40], "the sum")
            }
        },
        shared("additions of several writers all count") { bench, other in
            let index = try bench.makeTable(.ordered, "Index")
            try eachInParallel(bench, other) { backend, writer in
                try backend.refresh()
                for _ in 0..<20 {
                    try backend.commit { $0.add(writer == 0 ? 3 : -1, for: [1], in: index) }
                }
            }
            for backend in [bench.backend, other] {
                try backend.refresh()
                try bench.expectEqual(
                    backend.value(forKey: [1], in: index), bytes(of: 40), "the sum")
            }
        },
        shared(
            "the feed tells the commits of several writers in order", needs: .changes
        ) { bench, other in
            let table = try bench.makeTable()
            let start = try bench.backend.lastCommit()
            let made = Guarded<[CommitNumber: UInt32]>([:])
            try eachInParallel(bench, other) { backend, writer in
                try backend.refresh()
                for step in 0..<20 {
                    let number = try backend.commit { batch in
                        batch.author = UInt32(1 + writer)
                        try batch.put([1], at: RowID(UInt32(2 + writer * 100 + step)), in: table)
                    }
                    made.withLock { $0[number] = UInt32(1 + writer) }
                }
            }
            let authors = made.withLock { $0 }
            try bench.expectEqual(
                authors.keys.sorted(), Array(start.next..<start.advanced(by: 41)), "numbers")
            for backend in [bench.backend, other] {
                try backend.refresh()
                let cursor = try backend.changes(after: start)
                var last = start
                while let commit = try cursor.next() {
                    try bench.expectEqual(commit.number, last.next, "the next commit")
                    try bench.expectEqual(
                        commit.author, authors[commit.number] ?? 0, "the author of \(commit.number)"
                    )
                    last = commit.number
                }
                try bench.expectEqual(last, start.advanced(by: 40), "the last commit of the feed")
            }
        },
        shared(
            "a frozen reader sees nothing of another writer's commits", needs: .snapshots
        ) { bench, other in
            let (table, index) = try rowsAndKeys(bench)
            let basis = try other.refresh()
            let held = try other.snapshot()
            let tables = try held.tables()
            try bench.commit { batch in
                try batch.put([7], at: 2, in: table)
                try batch.deleteRow(3, in: table)
                try batch.put([7], at: 9, in: table)
                try batch.deleteKey([1], in: index)
                try batch.put([7], for: [0], in: index)
            }
            _ = try bench.makeTable(.record, "Playlist")
            for isRefreshed in [false, true] {
                if isRefreshed {
                    try bench.expectEqual(other.refresh(), basis.advanced(by: 2), "last commit")
                }
                try bench.expectEqual(held.lastCommit(), basis, "the reader's commit")
                try bench.expectEqual(held.rows(in: table).map(\.row), [2, 3, 4], "rows")
                try bench.expectEqual(held.value(of: 2, in: table), [1], "row 2")
                try bench.expectEqual(held.count(of: table), 3, "count")
                try bench.expectEqual(
                    held.keys(in: index).map(\.key), [[1], [2, 0], [3]], "keys")
                try bench.expectEqual(held.tables(), tables, "tables")
            }
            try bench.expectEqual(
                other.snapshot().rows(in: table).map(\.row), [2, 4, 9], "rows of a later reader")
        },
        shared("rows and tables are given out to one of several writers") { bench, other in
            let claim = TableClaim(kind: .record, name: "Song")
            let song = try bench.backend.claim(claim)
            try bench.expectEqual(other.claim(claim), song, "a claim of both")
            let list = try other.claim(TableClaim(kind: .record, name: "Playlist"))
            try bench.expect(
                list.number != song.number && list.classNumber != song.classNumber,
                "two classes share a number")
            let table = try bench.backend.reserveTable()
            try bench.expect(try other.reserveTable() != table, "a table was given out twice")
            var taken: Set<RowID> = []
            for step in 0..<40 {
                let backend = step % 3 == 0 ? bench.backend : other
                for row in try backend.reserveRows(UInt32(step % 5 + 1), in: song.number) {
                    try bench.expect(taken.insert(row).inserted, "row \(row) was given out twice")
                }
            }
        },
        shared(
            "work is claimed by one of several writers, and ends with it", needs: .workClaims
        ) { bench, other in
            func expectClaim(_ backend: any Backend, _ what: String) throws -> WorkClaim {
                guard let claim = try backend.claimWork("indexes") else {
                    throw Unexpected("the claim is refused \(what)")
                }
                return claim
            }
            let first = try expectClaim(bench.backend, "at first")
            try bench.expect(try other.claimWork("indexes") == nil, "claimed twice")
            first.end()
            let second = try expectClaim(other, "once it has ended")
            try bench.expect(try bench.backend.claimWork("indexes") == nil, "claimed twice")
            try other.close()
            let third = try expectClaim(bench.backend, "once its holder has left")
            withExtendedLifetime((second, third)) {}
        },
        shared("a subscription hears of another writer's commits") { bench, other in
            let table = try bench.makeTable()
            try other.refresh()
            let heard = Guarded<[CommitNumber]>([])
            let subscription = other.onCommit { number in heard.withLock { $0.append(number) } }
            var made: [CommitNumber] = []
            for row in 2..<6 as Range<RowID> {
                made.append(try bench.commit { try $0.put([1], at: row, in: table) })
            }
            let last = made.last
            try inParallel(1) { _ in
                while heard.withLock({ $0.last }) != last { Rounds.pause() }
            }
            try bench.expectEqual(heard.withLock { $0 }, made, "commits announced")
            try bench.expectEqual(other.value(of: 5, in: table), [1], "row 5")
            withExtendedLifetime(subscription) {}
        },
        shared("a commit whose answer was lost is known beside another writer") { bench, other in
            guard let loseAnswer = bench.engine.loseAnswer else { return }
            let table = try bench.makeTable()
            var wanted: [UInt64: CommitOutcome] = [:]
            for (value, isMade) in [true, false, true].enumerated() {
                let last = try bench.backend.refresh()
                loseAnswer(bench.backend, isMade)
                do {
                    try bench.commit { try $0.put([UInt8(value)], at: 2, in: table) }
                    throw Unexpected("the answer was not lost")
                } catch BackendError.outcomeUnknown(let token) {
                    wanted[token] = isMade ? .committed(last.next) : .notCommitted
                }
                let number = try other.commit { try $0.put([9], at: 3, in: table) }
                try bench.expectEqual(
                    number, last.advanced(by: isMade ? 2 : 1), "the other's commit")
                for (token, outcome) in wanted {
                    try bench.expectEqual(
                        bench.backend.outcome(of: token), outcome, "what became of it")
                }
            }
            try bench.expectEqual(wanted.count, 3, "tokens")
        },
    ]

    private static func shared(
        _ name: String, needs features: BackendFeatures = [],
        _ body: @escaping @Sendable (Bench, any Backend) throws -> Void
    ) -> BackendRule {
        BackendRule(name, needsOtherWriters: true, needs: features) { bench in
            try body(bench, bench.openAnother())
        }
    }

    /// Calls `body` for both backends, each on a thread of its own.
    private static func eachInParallel(
        _ bench: Bench, _ other: any Backend,
        _ body: @escaping @Sendable (_ backend: any Backend, _ writer: Int) throws -> Void
    ) throws {
        let backends = [bench.backend, other]
        try inParallel(2) { try body(backends[$0], $0) }
    }
}
