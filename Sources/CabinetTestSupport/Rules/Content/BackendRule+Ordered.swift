import CabinetBackend

extension BackendRule {
    /// Ordered tables keep their keys in the order of the keys' bytes.
    static let ordered: [BackendRule] = [
        BackendRule("keys come in the order of their bytes") { bench in
            let table = try bench.makeTable(.ordered, "Index")
            try put(trickyKeys.shuffled(), in: table, bench)
            try bench.expectEqual(keys(bench, table), trickyKeys, "keys")
            for key in trickyKeys {
                try bench.expectEqual(
                    bench.backend.value(forKey: key, in: table), key.reversed(), "value of \(key)")
            }
        },
        BackendRule("descending is the reverse of ascending") { bench in
            let table = try bench.makeTable(.ordered, "Index")
            try put(trickyKeys, in: table, bench)
            try bench.expectEqual(
                keys(bench, table, descending: true), trickyKeys.reversed(), "keys")
        },
        BackendRule("a range has its lower end and not its upper one") { bench in
            let table = try bench.makeTable(.ordered, "Index")
            try put(trickyKeys, in: table, bench)
            let ends: [[UInt8]?] =
                trickyKeys + [nil, [0, 5], [1, 255, 255], [254], [255, 255, 1]]
            for lower in ends {
                for upper in ends {
                    let range = KeyRange(from: lower, to: upper)
                    let wanted = trickyKeys.filter { key in
                        lower.map { !key.lexicographicallyPrecedes($0) } ?? true
                            && upper.map { key.lexicographicallyPrecedes($0) } ?? true
                    }
                    try bench.expectEqual(keys(bench, table, range), wanted, "\(range)")
                    try bench.expectEqual(
                        keys(bench, table, range, descending: true), wanted.reversed(),
                        "descending \(range)")
                }
            }
        },
        BackendRule("a prefix finds the keys that begin with it") { bench in
            let table = try bench.makeTable(.ordered, "Index")
            try put(trickyKeys, in: table, bench)
            for prefix in [[], [0], [1], [1, 255], [255], [255, 255], [7]] as [[UInt8]] {
                let wanted = trickyKeys.filter { $0.starts(with: prefix) }
                let range = KeyRange(prefix: prefix)
                try bench.expectEqual(keys(bench, table, range), wanted, "prefix \(prefix)")
                try bench.expectEqual(
                    keys(bench, table, range, descending: true), wanted.reversed(),
                    "descending, prefix \(prefix)")
            }
        },
        BackendRule("an entry's key and value may be empty or long") { bench in
            let table = try bench.makeTable(.ordered, "Index")
            let long = [UInt8](repeating: 9, count: bench.backend.limits.longestOrderedKey)
            try bench.commit { batch in
                try batch.put([], for: [], in: table)
                try batch.put([], for: [1], in: table)
                try batch.put(pattern(3, 300_000), for: long, in: table)
            }
            try bench.expectEqual(bench.backend.value(forKey: [], in: table), [], "both empty")
            try bench.expectEqual(bench.backend.value(forKey: [1], in: table), [], "empty value")
            try bench.expect(
                areSame(bench.backend.value(forKey: long, in: table), pattern(3, 300_000)),
                "a long value came back changed")
            try bench.expectEqual(keys(bench, table), [[], [1], long], "keys")
        },
        BackendRule("a key is replaced and deleted like a row") { bench in
            let table = try bench.makeTable(.ordered, "Index")
            try put([[1], [2], [3]], in: table, bench)
            try bench.commit { batch in
                try batch.put([9, 9, 9, 9], for: [1], in: table)
                try batch.deleteKey([2], in: table)
                try batch.deleteKey([8], in: table)
                try batch.deleteKey([3], in: table)
                try batch.put([7], for: [3], in: table)
                try batch.put([8], for: [4], in: table)
                try batch.deleteKey([4], in: table)
            }
            try bench.expectEqual(keys(bench, table), [[1], [3]], "keys")
            try bench.expectEqual(bench.backend.count(of: table), 2, "count")
            try bench.expectEqual(
                bench.backend.value(forKey: [1], in: table), [9, 9, 9, 9], "replaced")
            try bench.expectEqual(bench.backend.value(forKey: [3], in: table), [7], "put again")
        },
        BackendRule("a walk over many keys resumes where it was, both ways") { bench in
            let table = try manyKeys(bench)
            let wanted = manyNumbers.map(key)
            try bench.expect(keys(bench, table) == wanted, "ascending differs")
            try bench.expect(
                keys(bench, table, descending: true) == wanted.reversed(), "descending differs")
            let range = KeyRange(from: key(2001), to: key(9000))
            let inside = manyNumbers.filter { 2001..<9000 ~= $0 }.map(key)
            try bench.expect(keys(bench, table, range) == inside, "a range differs")
            try bench.expect(
                keys(bench, table, range, descending: true) == inside.reversed(),
                "a range descending differs")
        },
        BackendRule("a walk over keys goes on while keys come and go, both ways") { bench in
            for descending in [false, true] {
                let table = try manyKeys(bench, "Index-\(descending)")
                var steps = 0
                let found = try bench.backend.keys(in: table, descending: descending) {
                    steps += 1
                    try bench.commit { batch in
                        for number in manyNumbers where number % 3 == 0 {
                            try batch.deleteKey(key(number), in: table)
                        }
                        for number in manyNumbers {
                            try batch.put(
                                pattern(number, 90 + steps), for: key(number + 1), in: table)
                        }
                    }
                }
                try bench.expect(steps > 2, "the table fits a single run")
                let order = found.map(\.key)
                let sorted = order.sorted { one, other in
                    descending
                        ? other.lexicographicallyPrecedes(one)
                        : one.lexicographicallyPrecedes(other)
                }
                try bench.expect(order == sorted, "keys came out of order")
                try bench.expectEqual(Set(order).count, order.count, "keys met, each once")
                let met = Set(order)
                for number in manyNumbers where number % 3 != 0 {
                    try bench.expect(met.contains(key(number)), "key \(number) was not met")
                }
            }
        },
        BackendRule("several walks over keys at once do not disturb each other") { bench in
            let table = try manyKeys(bench)
            var inner = 0
            let found = try bench.backend.keys(in: table) {
                inner += 1
                let back = try keys(bench, table, descending: true)
                try bench.expectEqual(back.count, manyNumbers.count, "keys of the inner walk")
            }
            try bench.expect(inner > 1, "the table fits a single run")
            try bench.expect(found.map(\.key) == manyNumbers.map(key), "keys differ")
        },
        BackendRule("an ordered table is what random commits made of it") { bench in
            let table = try bench.makeTable(.ordered, "Index")
            var numbers = SeededNumbers(2)
            var model: [[UInt8]: [UInt8]] = [:]
            for step in 0..<300 {
                try bench.commit { batch in
                    for _ in 0..<40 {
                        let number = UInt32.random(in: 0..<3000, using: &numbers)
                        let key = Array("\(number)".utf8)
                        if Int.random(in: 0..<5, using: &numbers) < (step < 200 ? 1 : 4) {
                            model[key] = nil
                            try batch.deleteKey(key, in: table)
                        } else {
                            let value = pattern(number, Int.random(in: 0...60, using: &numbers))
                            model[key] = value
                            try batch.put(value, for: key, in: table)
                        }
                    }
                }
            }
            let wanted = model.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            let found = try bench.backend.keys(in: table)
            try bench.expect(found.map(\.key) == wanted.map(\.key), "keys differ")
            try bench.expect(found.map(\.value) == wanted.map(\.value), "values differ")
            try bench.expectEqual(bench.backend.count(of: table), model.count, "count")
        },
    ]

    /// In order: prefixes before what they begin, bytes unsigned, zero a byte like any other.
    private static let trickyKeys: [[UInt8]] = [
        [], [0], [0, 0], [0, 1], [1], [1, 0], [1, 127], [1, 128], [1, 255], [2], [10],
        Array("a".utf8), Array("aa".utf8), Array("b".utf8), [127], [128], [255], [255, 0],
        [255, 255], [255, 255, 255],
    ]

    private static func put(_ keys: [[UInt8]], in table: TableNumber, _ bench: Bench) throws {
        try bench.commit { batch in
            for key in keys { try batch.put(key.reversed(), for: key, in: table) }
        }
    }

    private static func keys(
        _ bench: Bench, _ table: TableNumber, _ range: KeyRange = .everything,
        descending: Bool = false
    ) throws -> [[UInt8]] {
        try bench.backend.keys(in: table, range: range, descending: descending).map(\.key)
    }

    /// So many keys that a walk takes several runs; every second number is left free.
    private static let manyNumbers = (1...8000 as ClosedRange<UInt32>).map { $0 * 2 }

    private static func key(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func manyKeys(_ bench: Bench, _ name: String = "Index") throws -> TableNumber {
        let table = try bench.makeTable(.ordered, name)
        try bench.commit { batch in
            for number in manyNumbers {
                try batch.put(pattern(number, 90), for: key(number), in: table)
            }
        }
        return table
    }
}
