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
}
