import CabinetBackend
import Foundation

extension BackendRule {
    /// A batch may be based on a commit: what it changes must be unchanged since.
    static let bases: [BackendRule] = [
        BackendRule("a batch conflicts with what was changed after its basis", needs: .bases) {
            bench in
            let (table, index) = try rowsAndKeys(bench)
            let held = try bench.backend.snapshot()
            let basis = try held.lastCommit()
            try bench.commit { try $0.put([2], at: 2, in: table) }
            // Changed and changed back is changed.
            try bench.commit { batch in
                try batch.deleteRow(3, in: table)
                try batch.deleteKey([1], in: index)
            }
            try bench.commit { batch in
                try batch.put([1], at: 3, in: table)
                try batch.put([1], for: [1], in: index)
                try batch.put([1], at: 60, in: table)
            }
            let last = try bench.backend.lastCommit()
            try bench.expectRefusal(
                .conflict(
                    [
                        .row(2, table: table), .row(3, table: table), .row(60, table: table),
                        .key([1], table: index),
                    ].sorted()), "rows and keys that were changed"
            ) { batch in
                batch.basis = basis
                try batch.put([9], at: 60, in: table)
                try batch.deleteRow(2, in: table)
                try batch.put([9], at: 3, in: table)
                try batch.put([9], at: 4, in: table)
                try batch.put([9], at: 61, in: table)
                try batch.deleteKey([1], in: index)
                try batch.put([9], for: [3], in: index)
                batch.add(1, for: [8], in: index)
            }
            try bench.expectEqual(bench.backend.lastCommit(), last, "commits after a conflict")
            try bench.expectEqual(bench.backend.value(of: 61, in: table), nil, "a refused row")
            try bench.commit { batch in
                batch.basis = basis
                try batch.put([9], at: 4, in: table)
                try batch.put([9], at: 61, in: table)
                try batch.put([9], for: [3], in: index)
                try batch.put([9], for: [9], in: .namedBuffers)
            }
            try bench.expectRefusal(.conflict([.row(4, table: table)]), "once more") { batch in
                batch.basis = basis
                try batch.put([9], at: 4, in: table)
            }
            try bench.commit { batch in
                batch.basis = last
                try batch.put([9], at: 2, in: table)
            }
            withExtendedLifetime(held) {}
        },
        BackendRule("a commit that makes a table has changed what it deletes there", needs: .bases)
        {
            bench in
            let held = try bench.backend.snapshot()
            let basis = try held.lastCommit()
            let table = try bench.backend.reserveTable()
            try bench.commit { batch in
                try batch.define(TableDefinition(number: table, kind: .ordered, name: "New"))
                try batch.put([1], for: [1], in: table)
                try batch.deleteKey([2], in: table)
                try batch.deleteKey([3], in: .catalog)
            }
            try bench.expectRefusal(
                .conflict(
                    [
                        .key([1], table: table), .key([2], table: table),
                        .key([3], table: .catalog),
                    ].sorted()), "keys that were put and deleted with their table"
            ) { batch in
                batch.basis = basis
                try batch.put([9], for: [4], in: table)
                batch.require(.unchanged, for: [1], in: table)
                batch.require(.unchanged, for: [2], in: table)
                batch.require(.unchanged, for: [3], in: .catalog)
                batch.require(.unchanged, for: [5], in: table)
            }
            withExtendedLifetime(held) {}
        },
        BackendRule("a batch may require that what it read is unchanged", needs: .bases) { bench in
            let (table, index) = try rowsAndKeys(bench)
            let held = try bench.backend.snapshot()
            let basis = try held.lastCommit()
            try bench.commit { batch in
                try batch.put([2], at: 2, in: table)
                try batch.put([2], for: [1], in: index)
            }
            try bench.expectRefusal(
                .conflict([.row(2, table: table), .key([1], table: index)].sorted()),
                "what was changed"
            ) { batch in
                batch.basis = basis
                try batch.put([9], at: 70, in: table)
                batch.require(.unchanged, row: 2, in: table)
                batch.require(.unchanged, row: 3, in: table)
                batch.require(.unchanged, for: [1], in: index)
                batch.require(.unchanged, for: [3], in: index)
                batch.require(.absent, row: 70, in: table)
            }
            try bench.commit { batch in
                batch.basis = basis
                try batch.put([9], at: 70, in: table)
                batch.require(.unchanged, row: 3, in: table)
                batch.require(.unchanged, row: 71, in: table)
                batch.require(.unchanged, for: [3], in: index)
            }
            withExtendedLifetime(held) {}
        },
        BackendRule("a batch of many chunks conflicts in each of them", needs: .bases) { bench in
            let (table, index) = try rowsAndKeys(bench)
            let rows: ClosedRange<RowID> = 10...9000
            try bench.commit { batch in
                for row in rows { try batch.put([1], at: row, in: table) }
            }
            let held = try bench.backend.snapshot()
            let basis = try held.lastCommit()
            let changed: [RowID] = [20, 4000, 8990]
            try bench.commit { batch in
                for row in changed { try batch.put([2], at: row, in: table) }
                try batch.put([2], for: [1], in: index)
            }
            func write(_ rows: ClosedRange<RowID>, to batch: WriteBatch) throws {
                batch.basis = basis
                try batch.put([3], for: [9], in: index)
                for row in rows { try batch.put(pattern(row.rawValue, 400), at: row, in: table) }
            }
            try bench.expectRefusal(
                .conflict(changed.map { .row($0, table: table) } + [.key([1], table: index)]),
                "rows of all chunks"
            ) { batch in
                try write(rows, to: batch)
                try batch.deleteKey([1], in: index)
            }
            try bench.expectEqual(bench.backend.value(of: 30, in: table), [1], "a refused row")
            try bench.commit { try write(4001...8989, to: $0) }
            // The keys of a large commit are known, too.
            let other = try bench.backend.snapshot()
            try bench.commit { batch in
                for row in 10...40_000 as ClosedRange<RowID> {
                    try batch.put(pattern(7, 40), for: key(row), in: index)
                }
            }
            try bench.expectRefusal(
                .conflict([.key(key(39_000), table: index)]), "a key of a large commit"
            ) { batch in
                batch.basis = try other.lastCommit()
                try batch.put([1], for: key(39_000), in: index)
                try batch.put([1], for: key(50_000), in: index)
            }
            withExtendedLifetime((held, other)) {}
        },
        BackendRule("a batch conflicts with tables that came or went", needs: .bases) { bench in
            let (table, index) = try rowsAndKeys(bench)
            let held = try bench.backend.snapshot()
            let basis = try held.lastCommit()
            try bench.commit { batch in
                try batch.drop(table)
                try batch.drop(index)
            }
            let rows = try bench.makeTable(.record, "Later")
            let keys = try bench.makeTable(.ordered, "LaterKeys")
            try bench.commit { batch in
                for row in [2, 3, 4] as [RowID] { try batch.put([1], at: row, in: rows) }
                for key in [1, 2] as [UInt8] { try batch.put([1], for: [key], in: keys) }
            }
            try bench.commit { try $0.deleteRow(3, in: rows) }
            try bench.expectRefusal(
                .conflict(
                    [
                        .row(2, table: table), .key([1], table: index), .row(2, table: rows),
                        .row(3, table: rows), .key([2], table: keys),
                    ].sorted()), "rows and keys of such tables"
            ) { batch in
                batch.basis = basis
                for row in [2, 3, 5] as [RowID] { try batch.put([9], at: row, in: rows) }
                for key in [2, 3] as [UInt8] { try batch.put([9], for: [key], in: keys) }
                batch.require(.unchanged, row: 2, in: table)
                batch.require(.unchanged, row: 77, in: table)
                batch.require(.unchanged, for: [1], in: index)
                batch.require(.unchanged, for: [77], in: index)
            }
            try bench.commit { batch in
                batch.basis = basis
                try batch.put([9], at: 5, in: rows)
                try batch.put([9], for: [3], in: keys)
            }
            withExtendedLifetime(held) {}
        },
        BackendRule("of a basis that no reader holds, the last commit alone serves", needs: .bases)
        {
            bench in
            let (table, _) = try rowsAndKeys(bench)
            let old = try bench.backend.lastCommit()
            try bench.commit { try $0.put([2], at: 2, in: table) }
            let last = try bench.backend.lastCommit()
            do {
                try bench.commit { batch in
                    batch.basis = old
                    try batch.put([9], at: 2, in: table)
                }
                throw Unexpected("a row was replaced that had changed after the basis")
            } catch BackendError.conflict(let conflicts) {
                // An engine may know more than it must.
                try bench.expectEqual(conflicts, [.row(2, table: table)], "conflicts")
            } catch BackendError.changesGone(let oldest) {
                try bench.expectEqual(oldest, last, "the oldest basis")
            }
            try bench.commit { batch in
                batch.basis = last
                try batch.put([9], at: 2, in: table)
            }
        },
        BackendRule("a batch may require that no commit came after its basis", needs: .bases) {
            bench in
            let (table, index) = try rowsAndKeys(bench)
            let held = try bench.backend.snapshot()
            let basis = try held.lastCommit()
            func put(_ value: UInt8, basedOn basis: CommitNumber, _ batch: WriteBatch) throws {
                batch.basis = basis
                batch.requiresLastBasis = true
                try batch.put([value], at: 70, in: table)
            }
            try bench.commit { try put(1, basedOn: basis, $0) }
            let last = try bench.backend.lastCommit()
            try bench.commit { try $0.put([2], for: [1], in: index) }
            try bench.expectRefusal(.conflict([]), "a later commit of another row") { batch in
                try put(2, basedOn: last, batch)
            }
            try bench.expectEqual(bench.backend.value(of: 70, in: table), [1], "the row")
            try bench.commit { try put(3, basedOn: try bench.backend.lastCommit(), $0) }
            try bench.expectEqual(bench.backend.value(of: 70, in: table), [3], "the row")
            withExtendedLifetime(held) {}
        },
        BackendRule("writers who each add to what they have read lose nothing", needs: .bases) {
            bench in
            let table = try bench.makeTable()
            let backend = bench.backend
            try bench.commit { try $0.put([0, 0], at: 2, in: table) }
            let refusals = Rounds()
            try inParallel(4) { _ in
                var step = 0
                while step < 25 {
                    let reader = try backend.snapshot()
                    guard let read = try reader.value(of: 2, in: table) else {
                        throw Unexpected("the row is gone")
                    }
                    let sum = Int(read[0]) + Int(read[1]) * 256 + 1
                    // Others come in between.
                    if step % 5 == 0 { Thread.sleep(forTimeInterval: 0.000_2) }
                    do {
                        try backend.commit { batch in
                            batch.basis = try reader.lastCommit()
                            try batch.put(
                                [UInt8(sum % 256), UInt8(sum / 256)], at: 2, in: table)
                        }
                        step += 1
                    } catch BackendError.conflict(let conflicts) {
                        guard conflicts == [.row(2, table: table)] else {
                            throw Unexpected("conflicts \(conflicts)")
                        }
                        refusals.count()
                    }
                }
            }
            try bench.expectEqual(backend.value(of: 2, in: table), [100, 0], "the sum")
        },
    ]

    private static func key(_ row: RowID) -> [UInt8] {
        withUnsafeBytes(of: row.rawValue.bigEndian) { Array($0) }
    }
}
