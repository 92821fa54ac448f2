import CabinetBackend

extension BackendRule {
    /// Named tables keep bytes under any key.
    static let named: [BackendRule] = [
        BackendRule("a name may be any bytes") { bench in
            try bench.commit { batch in
                for (index, name) in oddNames.enumerated() {
                    try batch.put([UInt8(index)], for: name, in: .namedBuffers)
                }
            }
            for (index, name) in oddNames.enumerated() {
                try bench.expectEqual(
                    bench.backend.value(forKey: name, in: .namedBuffers), [UInt8(index)],
                    "value under \(name.prefix(20))")
            }
            try bench.expectEqual(
                bench.backend.count(of: .namedBuffers), oddNames.count, "count")
            try bench.expectEqual(
                Set(bench.backend.keys(in: .namedBuffers).map(\.key)), Set(oddNames), "names")
        },
        BackendRule("a name is replaced and deleted like a row") { bench in
            try bench.commit { batch in
                try batch.put([1], for: [1], in: .namedBuffers)
                try batch.put([2], for: [2], in: .namedBuffers)
            }
            try bench.commit { batch in
                try batch.put(pattern(5, 5_000_000), for: [1], in: .namedBuffers)
                try batch.deleteKey([2], in: .namedBuffers)
                try batch.deleteKey([3], in: .namedBuffers)
            }
            try bench.expect(
                areSame(bench.backend.value(forKey: [1], in: .namedBuffers), pattern(5, 5_000_000)),
                "a large value came back changed")
            try bench.expectEqual(bench.backend.value(forKey: [2], in: .namedBuffers), nil, "2")
            try bench.expectEqual(bench.backend.count(of: .namedBuffers), 1, "count")
        },
        BackendRule("a walk over names meets each once") { bench in
            let table = try bench.backend.reserveTable()
            let numbers = 0..<6000 as Range<UInt32>
            try bench.commit { batch in
                try batch.define(TableDefinition(number: table, kind: .named, name: "More"))
                for number in numbers {
                    try batch.put(pattern(number, 100), for: Array("\(number)".utf8), in: table)
                }
            }
            var size = 100
            let found = try bench.backend.keys(in: table) {
                guard size < 1500 else { return }
                size += 700
                try bench.commit { batch in
                    for number in numbers where number % 5 == 0 {
                        try batch.put(
                            pattern(number, size), for: Array("\(number)".utf8), in: table)
                    }
                }
            }
            try bench.expect(size > 800, "the table fits a single run")
            try bench.expectEqual(found.count, numbers.count, "names met")
            try bench.expectEqual(
                Set(found.map(\.key)), Set(numbers.map { Array("\($0)".utf8) }), "names")
            try bench.expect(found.allSatisfy { isPattern($0.value) }, "a value was changed")
        },
        BackendRule("catalog and named buffers are two tables") { bench in
            try bench.commit { try $0.put([1], for: [5], in: .catalog) }
            try bench.expectEqual(bench.backend.value(forKey: [5], in: .namedBuffers), nil, "5")
            try bench.commit { try $0.put([2], for: [5], in: .namedBuffers) }
            try bench.commit { try $0.deleteKey([5], in: .catalog) }
            try bench.expectEqual(bench.backend.value(forKey: [5], in: .namedBuffers), [2], "5")
        },
    ]

    /// Empty, zero bytes, not UTF-8, the same letter composed and decomposed, long.
    private static let oddNames: [[UInt8]] = [
        [], [0], [0, 0], [255, 254], Array("Favorite".utf8), Array("favorite".utf8),
        Array("Lieblingslied ♫".utf8), [0xC3, 0xA9], [0x65, 0xCC, 0x81], Array("a\0b".utf8),
        Array("a/../b".utf8), [UInt8](repeating: 0x6E, count: 9000),
    ]
}
