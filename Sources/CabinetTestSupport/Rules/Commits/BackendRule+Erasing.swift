import CabinetBackend

extension BackendRule {
    /// What commits have replaced is removed for good. An engine that cannot do that says so when it is asked.
    static let erasing: [BackendRule] = [
        BackendRule(
            "what is erased is gone from the feed, and from nowhere else",
            needs: [.changes, .lines, .keptChanges, .snapshots]
        ) { bench in
            let table = try bench.makeTable()
            let backend = bench.backend
            do { try backend.erasePast(upTo: .none) } catch BackendError.unsupported { return }
            try bench.commit {
                for row in 1...5 { try $0.put([UInt8(row)], at: RowID(UInt32(row)), in: table) }
            }
            let kept = try backend.position()
            try backend.keepChanges(after: kept, for: "worker", limit: 1_000_000)
            let held = try backend.snapshot()
            try bench.commit { try $0.deleteRow(1, in: table) }
            let changed = try bench.commit { try $0.put([9], at: 2, in: table) }
            func expectRows() throws {
                let rows: [[UInt8]?] = [nil, [9], [3], [4], [5]]
                for (index, value) in rows.enumerated() {
                    let row = RowID(UInt32(index + 1))
                    try bench.expectEqual(backend.value(of: row, in: table), value, "row \(row)")
                }
                for row in 1...5 {
                    try bench.expectEqual(
                        held.value(of: RowID(UInt32(row)), in: table), [UInt8(row)],
                        "row \(row) of a reader that was frozen before")
                }
            }
            try backend.erasePast(upTo: changed)
            try expectRows()
            let needed = kept.commit.rawValue + 1...changed.rawValue
            try bench.expectEqual(
                bench.feed(after: kept), needed.map { CommitNumber($0) }, "what a name needs")
            try backend.letGoOfChanges(for: "worker")
            let last = try backend.lastCommit()
            try backend.erasePast(upTo: last)
            do {
                _ = try backend.changes(after: changed.previous)
                throw Unexpected("the feed has what was erased")
            } catch BackendError.changesGone(let oldest) {
                try bench.expectEqual(oldest, last, "the oldest commit of the feed")
            }
            try expectRows()
            let next = try bench.commit { try $0.put([7], at: 7, in: table) }
            try bench.expectEqual(
                bench.feed(after: backend.position(of: last)), [next], "commits made since")
            try backend.erasePast(upTo: last)
            try bench.expectEqual(
                bench.feed(after: backend.position(of: last)), [next], "commits made since, again")
        }
    ]
}
