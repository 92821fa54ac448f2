import CabinetBackend

extension BackendRule {
    /// Keys of derived tables may be deleted whatever has been made of them.
    static let blindDeletes: [BackendRule] = [
        BackendRule("a blind delete comes behind the batch, and in derived tables alone") { bench in
            let index = try bench.makeDerivedTable()
            let (table, other) = try rowsAndKeys(bench)
            try bench.commit { batch in
                for key in 1...4 as ClosedRange<UInt8> { try batch.put([1], for: [key], in: index) }
            }
            let last = try bench.commit { batch in
                batch.deleteBlindly([1], in: index)
                try batch.put([2], for: [2], in: index)
                batch.deleteBlindly([2], in: index)
                batch.deleteBlindly([2], in: index)
                batch.deleteBlindly([9], in: index)
            }
            try bench.expectEqual(bench.backend.lastCommit(), last, "the last commit")
            try bench.expectEqual(bench.backend.count(of: index), 2, "keys that are left")
            try bench.expectEqual(bench.backend.value(forKey: [2], in: index), nil, "a key")
            for wrong in [table, other, .namedBuffers, 999] {
                try bench.expectRefusal(.noTable(wrong), "in table \(wrong)") { batch in
                    try batch.deleteKey([3], in: index)
                    batch.deleteBlindly([1], in: wrong)
                }
            }
            try bench.expectEqual(bench.backend.count(of: index), 2, "after refusals")
            let new = try bench.backend.reserveTable()
            try bench.commit { batch in
                try batch.define(
                    TableDefinition(number: new, kind: .ordered, name: "New", flags: .derived))
                try batch.put([1], for: [1], in: new)
                batch.deleteBlindly([1], in: new)
            }
            try bench.expectEqual(bench.backend.count(of: new), 0, "in a new table")
        },
        BackendRule(
            "a blind delete never conflicts, and what overlooks it does",
            needs: [.snapshots, .bases]
        ) { bench in
            let index = try bench.makeDerivedTable()
            let start = try bench.commit { try $0.put([1], for: [1], in: index) }
            let held = try bench.backend.snapshot()
            try bench.commit { try $0.put([2], for: [1], in: index) }
            for key in [[1], [1], [2], [2]] as [[UInt8]] {
                try bench.commit { batch in
                    batch.basis = start
                    batch.deleteBlindly(key, in: index)
                }
            }
            try bench.expectEqual(bench.backend.count(of: index), 0, "keys that are left")
            // A key that was deleted without having been there has changed as well.
            for key in [[1], [2]] as [[UInt8]] {
                try bench.expectRefusal(.conflict([.key(key, table: index)]), "a put") { batch in
                    batch.basis = start
                    try batch.put([3], for: key, in: index)
                }
                try bench.expectRefusal(.conflict([.key(key, table: index)]), "a look") { batch in
                    batch.basis = start
                    batch.require(.unchanged, for: key, in: index)
                }
            }
            withExtendedLifetime(held) {}
        },
        BackendRule("counting stops at a limit, or goes on") { bench in
            let index = try bench.makeTable(.ordered, "Index")
            try bench.commit { batch in
                for key in 0..<200 as Range<UInt8> { try batch.put([1], for: [key], in: index) }
            }
            let range = KeyRange(from: [50], to: [60])
            for limit in [0, 1, 9, 10, 11, .max] {
                let count = try bench.backend.count(of: range, in: index, upTo: limit)
                try bench.expect(
                    limit > 10 ? count == 10 : 0...10 ~= count && count >= limit,
                    "\(count) of 10 keys up to \(limit)")
            }
        },
    ]
}

extension Bench {
    fileprivate func makeDerivedTable() throws -> TableNumber {
        let number = try backend.reserveTable()
        try commit {
            try $0.define(
                TableDefinition(number: number, kind: .ordered, name: "Sums", flags: .derived))
        }
        return number
    }
}
