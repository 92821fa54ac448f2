import CabinetBackend

extension BackendRule {
    /// A subscription is called after each commit; the feed says what each commit changed.
    static let subscriptions: [BackendRule] = [
        BackendRule("a subscription hears of each commit once reads see it") { bench in
            let table = try bench.makeTable()
            let backend = bench.backend
            let announced = Guarded<[CommitNumber]>([])
            let late = Guarded<[CommitNumber]>([])
            let subscription = backend.onCommit { number in
                announced.withLock { $0.append(number) }
                let last = try? backend.lastCommit()
                let row = try? backend.value(of: RowID(UInt32(number.rawValue)), in: table)
                if last ?? 0 < number || row != [1] { late.withLock { $0.append(number) } }
            }
            var made: [CommitNumber] = []
            for _ in 0..<10 {
                let next = try backend.lastCommit().next
                made.append(
                    try bench.commit {
                        try $0.put([1], at: RowID(UInt32(next.rawValue)), in: table)
                    })
                try bench.commit { _ in }
                try bench.expectRefusal(.noTable(999), "a refused batch") {
                    try $0.put([1], at: 2, in: 999)
                }
            }
            try bench.expectEqual(announced.withLock { $0 }, made, "commits announced")
            try bench.expectEqual(late.withLock { $0 }, [], "commits that were not to be seen")
            withExtendedLifetime(subscription) {}
        },
        BackendRule("a subscription ends when it is cancelled or freed") { bench in
            let table = try bench.makeTable()
            let announced = Guarded<[[CommitNumber]]>([[], [], []])
            func subscribe(_ index: Int) -> Subscription {
                bench.backend.onCommit { number in announced.withLock { $0[index].append(number) } }
            }
            let kept = subscribe(0)
            let cancelled = subscribe(1)
            var freed: Subscription? = subscribe(2)
            func commit() throws -> CommitNumber {
                try bench.commit { try $0.put([1], at: 2, in: table) }
            }
            let first = try commit()
            cancelled.cancel()
            cancelled.cancel()
            withExtendedLifetime(freed) {}
            freed = nil
            let second = try commit()
            try bench.expectEqual(
                announced.withLock { $0 }, [[first, second], [first], [first]], "commits announced")
            withExtendedLifetime(kept) {}
        },
        BackendRule("who hears of a commit may commit, and hears of that afterwards") { bench in
            let table = try bench.makeTable()
            let backend = bench.backend
            let announced = Guarded<[CommitNumber]>([])
            let depth = Guarded(0)
            let subscription = backend.onCommit { number in
                let isNested = depth.withLock { depth in
                    depth += 1
                    return depth > 1
                }
                announced.withLock { $0.append(isNested ? 0 : number) }
                if announced.withLock({ $0.count }) < 5 {
                    _ = try? backend.commit { try $0.put([2], at: 3, in: table) }
                }
                depth.withLock { $0 -= 1 }
            }
            let first = try bench.commit { try $0.put([1], at: 2, in: table) }
            try bench.expectEqual(
                announced.withLock { $0 }, Array(first..<first.advanced(by: 5)), "announced")
            withExtendedLifetime(subscription) {}
        },
        BackendRule("commits of many threads are heard of in the order of their numbers") { bench in
            let table = try bench.makeTable()
            let backend = bench.backend
            let announced = Guarded<[CommitNumber]>([])
            let made = Guarded<[CommitNumber]>([])
            let subscription = backend.onCommit { number in announced.withLock { $0.append(number) }
            }
            try inParallel(4) { thread in
                for step in 0..<50 {
                    let number = try backend.commit {
                        try $0.put([1], at: RowID(UInt32(2 + thread * 100 + step)), in: table)
                    }
                    made.withLock { $0.append(number) }
                }
            }
            // The thread that makes the calls may come back from its commit last.
            try bench.expectEqual(
                announced.withLock { $0 }, made.withLock { $0.sorted() }, "commits announced")
            withExtendedLifetime(subscription) {}
        },
    ]

    /// What each commit has changed.
    static let changes: [BackendRule] = [
        BackendRule("the feed tells every commit with all its changes", needs: .changes) { bench in
            let start = try bench.backend.lastCommit()
            var numbers = SeededNumbers(8)
            var made: [CommitNumber] = []
            var model = FeedModel()
            for step in 0..<120 {
                made.append(
                    try bench.commit { batch in
                        batch.author = UInt32(step)
                        try batch.note(UInt8(step), [1, UInt8(step)])
                        try model.change(step, &numbers, batch)
                        if step % 3 == 0 { try batch.note(4, []) }
                    })
                model.commit()
            }
            var replayed = FeedModel.Contents()
            var found: [CommitNumber] = []
            let cursor = try bench.backend.changes(after: start)
            while let commit = try cursor.next() {
                let step = found.count
                found.append(commit.number)
                try bench.expectEqual(commit.author, UInt32(step), "author")
                try bench.expect(commit.time > 1_600_000_000_000_000, "time \(commit.time)")
                let notes = try commit.notes.map { [$0.tag] + $0.bytes }
                try bench.expectEqual(
                    notes, [[UInt8(step), 1, UInt8(step)]] + (step % 3 == 0 ? [[4]] : []), "notes")
                try commit.forEachOperation { replayed.apply($0) }
                try bench.expect(replayed == model.history[step], "the changes of step \(step)")
            }
            try bench.expectEqual(found, made, "commits in the feed")
            let later = try bench.backend.changes(after: made[60])
            try bench.expectEqual(later.next()?.number, made[61], "the first one after a commit")
        },
        BackendRule("the feed goes on with commits that are made later", needs: .changes) { bench in
            let table = try bench.makeTable()
            let cursor = try bench.backend.changes(after: bench.backend.lastCommit())
            for _ in 0..<3 {
                try bench.expectEqual(cursor.next()?.number, nil, "at the end")
                let number = try bench.commit { try $0.put([1], at: 2, in: table) }
                try bench.expectEqual(cursor.next()?.number, number, "a later commit")
            }
            try bench.commit { _ in }
            try bench.expectRefusal(.noTable(999), "a refused batch") {
                try $0.put([1], at: 2, in: 999)
            }
            try bench.expectEqual(cursor.next()?.number, nil, "after no commit")
        },
        BackendRule("the feed says what it does not keep any more", needs: .changes) { bench in
            let table = try bench.makeTable()
            let start = try bench.backend.lastCommit()
            let cursor = try bench.backend.changes(after: start)
            var made: [CommitNumber] = []
            for row in 2..<40 as Range<RowID> {
                made.append(
                    try bench.commit {
                        try $0.put(pattern(row.rawValue, 100_000), at: row, in: table)
                    })
            }
            made.append(
                try bench.commit { batch in
                    for row in 50..<80 as Range<RowID> {
                        try batch.put(pattern(row.rawValue, 100_000), at: row, in: table)
                    }
                })
            func read(_ cursor: any ChangeCursor) throws -> [CommitNumber] {
                var found: [CommitNumber] = []
                while let commit = try cursor.next() { found.append(commit.number) }
                return found
            }
            do {
                try bench.expectEqual(read(cursor), made, "commits in the feed")
                try bench.expectEqual(
                    read(try bench.backend.changes(after: start)), made, "commits in the feed")
            } catch BackendError.changesGone(let oldest) {
                try bench.expectError(.changesGone(oldest: oldest), "from the start") {
                    _ = try bench.backend.changes(after: start)
                }
                try bench.expectEqual(
                    read(try bench.backend.changes(after: oldest)), made.filter { $0 > oldest },
                    "commits that are kept")
            }
        },
    ]
}
