import CabinetBackend

extension BackendRule {
    /// Walks over keys that begin anywhere, counts of ranges, many rows in one call, limits.
    static let cursors: [BackendRule] = [
        BackendRule("the last commit is the one that was made last") { bench in
            try bench.expectEqual(bench.backend.lastCommit(), 0, "before the first commit")
            let table = try bench.makeTable()
            for row in 2...4 as ClosedRange<RowID> {
                let number = try bench.commit { try $0.put([1], at: row, in: table) }
                try bench.expectEqual(bench.backend.lastCommit(), number, "the last commit")
                try bench.expectEqual(bench.backend.refresh(), number, "after a refresh")
            }
        },
        BackendRule("an engine has the optional parts that it says it has") { bench in
            let features = bench.backend.features
            try bench.expectEqual(features, bench.engine.features, "features")
            func isUnsupported(_ body: () throws -> Void) throws -> Bool {
                do { try body() } catch BackendError.unsupported { return true }
                return false
            }
            let table = try bench.makeTable()
            let last = try bench.backend.lastCommit()
            try bench.expectEqual(
                try isUnsupported { _ = try bench.backend.snapshot() },
                !features.contains(.snapshots), "whether frozen readers are refused")
            try bench.expectEqual(
                try isUnsupported { _ = try bench.backend.changes(after: last) },
                !features.contains(.changes), "whether the feed is refused")
            try bench.expectEqual(
                try isUnsupported { _ = try bench.backend.lines() },
                !features.contains(.lines), "whether lines are refused")
            try bench.expectEqual(
                try isUnsupported {
                    try bench.commit { batch in
                        batch.basis = last
                        try batch.put([1], at: 2, in: table)
                    }
                }, !features.contains(.bases), "whether a basis is refused")
            try bench.expectEqual(
                try isUnsupported {
                    try bench.backend.keepChanges(after: .start, for: "reader", limit: 1)
                }, !features.contains(.keptChanges), "whether names of readers are refused")
        },
        BackendRule("many rows come in the order in which they are asked for") { bench in
            let table = try bench.makeTable()
            try bench.commit { batch in
                for row in 2...9 as ClosedRange<RowID> {
                    try batch.put(pattern(row.rawValue, 100_000), at: row, in: table)
                }
            }
            let wanted: [RowID] = [9, 40, 3, 7, 1, 2, 8, 3, 5]
            var rest = wanted[...]
            var found: [RowID] = []
            let run = RecordRun()
            run.append(7, UnsafeRawBufferPointer(start: nil, count: 0))
            while !rest.isEmpty {
                let count = try bench.backend.values(of: rest, in: table, into: run)
                try bench.expect(1...rest.count ~= count, "\(count) of \(rest.count) looked up")
                rest = rest.dropFirst(count)
                var bytes = 0
                while let (row, value) = run.next() {
                    found.append(row)
                    bytes += value.count
                    try bench.expect(
                        areSame(Array(value), pattern(row.rawValue, 100_000)),
                        "row \(row) came changed")
                }
                try bench.expect(bytes <= 512 << 10, "a run of \(bytes) bytes")
            }
            try bench.expectEqual(found, [9, 3, 7, 2, 8, 3, 5], "rows")
            _ = try bench.backend.values(of: [2, 3], in: 999, into: run)
            try bench.expect(run.isEmpty, "rows of a table that is not there")
        },
        BackendRule("many keys come in the order in which they are asked for") { bench in
            let table = try bench.makeTable(.ordered)
            let keys = (0..<9).map { [UInt8](repeating: UInt8($0), count: 3) }
            try bench.commit { batch in
                for key in keys {
                    try batch.put(pattern(UInt32(key[0]), 100_000), for: key, in: table)
                    try batch.put([key[0]], for: key, in: .namedBuffers)
                }
            }
            let wanted = [keys[7], [40], keys[1], keys[5], [], keys[0], keys[6], keys[1], keys[3]]
            for (place, size) in [(table, 100_000), (.namedBuffers, 1)] {
                var rest = wanted[...]
                var found: [[UInt8]] = []
                let run = EntryRun()
                let empty = UnsafeRawBufferPointer(start: nil, count: 0)
                run.append(empty, empty)
                while !rest.isEmpty {
                    let count = try bench.backend.values(forKeys: rest, in: place, into: run)
                    try bench.expect(1...rest.count ~= count, "\(count) keys looked up")
                    rest = rest.dropFirst(count)
                    while let (key, value) = run.next() {
                        found.append(Array(key))
                        let put = size == 1 ? [key[0]] : pattern(UInt32(key[0]), size)
                        try bench.expect(areSame(Array(value), put), "a value came changed")
                    }
                }
                try bench.expectEqual(
                    found.map { $0[0] }, [7, 1, 5, 0, 6, 1, 3], "keys of \(place)")
            }
            _ = try bench.backend.values(forKeys: [[1], [2]], in: 999, into: EntryRun())
        },
        BackendRule("rows are told to be there without their values") { bench in
            let table = try bench.makeTable()
            try bench.commit { batch in
                for row in 2...60 as ClosedRange<RowID> { try batch.put([], at: row, in: table) }
            }
            try bench.commit { batch in
                for row in 2...9 as ClosedRange<RowID> { try batch.deleteRow(row, in: table) }
            }
            let few: [RowID] = [30, 5, 12, 70, 12]
            let present = try bench.backend.presentRows(among: few[...], in: table)
            try bench.expectEqual(present, [30, 12, 12], "few rows")
            let all = Array(2...90 as ClosedRange<RowID>)[1...]
            let found = try bench.backend.presentRows(among: all, in: table)
            try bench.expectEqual(found, Array(10...60 as ClosedRange<RowID>), "many rows")
            let none = try bench.backend.presentRows(among: few[...], in: 999)
            try bench.expectEqual(none, [], "rows of a table that is not there")
        },
        BackendRule("a walk over keys gives no more entries than its limit") { bench in
            let (table, keys) = try numberedKeys(bench)
            for descending in [false, true] {
                for limit in [-1, 1, 2, 7, 300, 5000] {
                    // Of few entries at a time few are walked: a frozen reader has all keys changed at each.
                    let isShort = limit < 7
                    let cursor = try bench.backend.entries(
                        in: table, range: isShort ? KeyRange(to: keys[40]) : .everything,
                        descending: descending)
                    var found: [[UInt8]] = []
                    let run = EntryRun()
                    while try cursor.next(run, limit: limit) {
                        var count = 0
                        while let (key, _) = run.next() {
                            found.append(Array(key))
                            count += 1
                        }
                        try bench.expect(
                            1...max(limit, 1) ~= count, "\(count) entries, not \(limit)")
                    }
                    let walked = isShort ? Array(keys[..<40]) : keys
                    let wanted = descending ? walked.reversed() : walked
                    try bench.expect(found == wanted, "keys differ with a limit of \(limit)")
                }
            }
            let names = try bench.backend.entries(
                in: .namedBuffers, range: .everything, descending: false)
            let run = EntryRun()
            for wanted in [2, 1] {
                try bench.expect(names.next(run, limit: 2), "a walk over names ended early")
                var count = 0
                while run.next() != nil { count += 1 }
                try bench.expectEqual(count, wanted, "names")
            }
        },
        BackendRule("a walk goes on at the key that it is sent to, both ways") { bench in
            let (table, keys) = try numberedKeys(bench)
            let range = KeyRange(from: keys[100], to: keys[900])
            let inside = Array(keys[100..<900])
            for descending in [false, true] {
                let cursor = try bench.backend.entries(
                    in: table, range: range, descending: descending)
                let run = EntryRun()
                var numbers = SeededNumbers(3)
                for step in 0..<200 {
                    var key = keys[Int.random(in: 0..<1000, using: &numbers)]
                    // Between two keys, at one, before or behind the range, or at its ends.
                    if step % 3 == 0 { key.append(0) }
                    if step % 10 == 0 { key = step % 20 == 0 ? keys[900] : keys[100] }
                    try cursor.seek(key)
                    let wanted =
                        descending
                        ? inside.last { !key.lexicographicallyPrecedes($0) }
                        : inside.first { !$0.lexicographicallyPrecedes(key) }
                    _ = try cursor.next(run, limit: step % 7 + 1)
                    let found = run.next().map { Array($0.key) }
                    try bench.expectEqual(found, wanted, "the key found, step \(step)")
                }
                try cursor.seek(descending ? keys[999] : keys[0])
                var rest: [[UInt8]] = []
                while try cursor.next(run) {
                    while let (key, _) = run.next() { rest.append(Array(key)) }
                }
                try bench.expect(
                    rest == (descending ? inside.reversed() : inside), "the rest differs")
                try cursor.seek(keys[500])
                try bench.expect(cursor.next(run), "a walk that had ended did not go on")
            }
            let names = try bench.backend.entries(
                in: .namedBuffers, range: .everything, descending: false)
            do {
                try names.seek([1])
                throw Unexpected("names have an order")
            } catch BackendError.unsupported {}
        },
        BackendRule("keys of a range are counted as a walk counts them") { bench in
            let (table, keys) = try numberedKeys(bench)
            let behind = (keys[300] + [0], keys[999] + [0])
            let lowers: [[UInt8]?] = [nil, [], keys[0], keys[300], behind.0, keys[999], [255]]
            let uppers: [[UInt8]?] = [nil, [], keys[0], keys[300], keys[301], behind.1, [255]]
            for lower in lowers {
                for upper in uppers {
                    let range = KeyRange(from: lower, to: upper)
                    let wanted = keys.count { key in
                        lower.map { !key.lexicographicallyPrecedes($0) } ?? true
                            && upper.map { key.lexicographicallyPrecedes($0) } ?? true
                    }
                    try bench.expectEqual(
                        bench.backend.count(of: range, in: table), wanted, "\(range)")
                }
            }
            try bench.expectEqual(
                bench.backend.count(of: .everything, in: .namedBuffers), 3, "names")
            try bench.expectEqual(
                bench.backend.count(of: KeyRange(from: [1]), in: 999), 0, "no such table")
        },
        BackendRule("a key's rank is its position in a walk, also after deletes") { bench in
            let (table, keys) = try numberedKeys(bench)
            try bench.commit { batch in
                for index in stride(from: 0, to: keys.count, by: 3) {
                    try batch.deleteKey(keys[index], in: table)
                }
                try batch.put([1], for: keys[1], in: table)
            }
            let left = keys.indices.filter { $0 % 3 != 0 }.map { keys[$0] }
            let backend = bench.backend
            for (rank, key) in left.enumerated() where rank % 7 == 0 || rank == left.count - 1 {
                try bench.expectEqual(backend.rank(of: key, in: table), rank, "rank of \(key)")
                try bench.expectEqual(
                    backend.rank(of: key + [0], in: table), rank + 1, "rank behind \(key)")
                try bench.expectEqual(backend.key(at: rank, in: table), key, "key at \(rank)")
            }
            try bench.expectEqual(backend.rank(of: [], in: table), 0, "rank of the empty key")
            try bench.expectEqual(
                backend.rank(of: [255, 255], in: table), left.count, "rank behind all")
            try bench.expectEqual(backend.key(at: left.count, in: table), nil, "key behind all")
            try bench.expectEqual(backend.key(at: -1, in: table), nil, "key before all")
            for other in [TableNumber.namedBuffers, 999] {
                try bench.expectEqual(backend.rank(of: [255], in: other), 0, "rank elsewhere")
                try bench.expectEqual(backend.key(at: 0, in: other), nil, "key elsewhere")
            }
        },
        BackendRule("an ordered table takes keys up to its limit and refuses longer ones") {
            bench in
            let table = try bench.makeTable(.ordered, "Index")
            let limit = bench.backend.limits.longestOrderedKey
            try bench.expect(limit >= 1024, "a limit of \(limit) bytes")
            let longest = [UInt8](repeating: 9, count: limit)
            try bench.commit { batch in
                try batch.put([1], for: longest, in: table)
                try batch.put([2], for: longest + [9], in: .namedBuffers)
            }
            try bench.expectRefusal(.tooLarge(limit: limit), "a longer key") { batch in
                try batch.put([3], for: [1], in: table)
                try batch.put([3], for: longest + [9], in: table)
            }
            try bench.expectEqual(bench.backend.value(forKey: longest, in: table), [1], "longest")
            try bench.expectEqual(bench.backend.count(of: table), 1, "count")
            try bench.commit { try $0.deleteKey(longest + [9], in: table) }
        },
    ]

    /// An ordered table of 1000 keys of various lengths, and three names.
    static func numberedKeys(_ bench: Bench) throws -> (TableNumber, [[UInt8]]) {
        let table = try bench.makeTable(.ordered, "Index")
        var keys: [[UInt8]] = []
        for number in 0..<1000 as Range<UInt32> {
            let digits = withUnsafeBytes(of: (number * 3).bigEndian) { Array($0) }
            keys.append(digits + [UInt8](repeating: 7, count: Int(number % 5)))
        }
        try bench.commit { batch in
            for key in keys.shuffled() { try batch.put(key.reversed(), for: key, in: table) }
            for name in [1, 2, 3] as [UInt8] {
                try batch.put([name], for: [name], in: .namedBuffers)
            }
        }
        return (table, keys)
    }
}
