import CabinetBackend

extension BackendRule {
    /// What is removed for good. That no file has its bytes, an engine's own tests look for.
    static let erasing: [BackendRule] = [
        BackendRule(
            "what is erased leaves the feed, but for what a name keeps",
            needs: [.changes, .lines, .keptChanges]
        ) { bench in
            let backend = bench.backend
            do { try backend.erasePast(upTo: .none) } catch BackendError.unsupported { return }
            let table = try bench.makeTable()
            let start = try backend.position()
            try bench.commit { batch in
                try batch.put([1], at: 2, in: table)
                try batch.put([1], at: 3, in: table)
            }
            let last = try bench.commit { batch in
                try batch.put([2], at: 2, in: table)
                try batch.deleteRow(3, in: table)
            }
            try backend.erasePast(upTo: last)
            try bench.expectGone(after: start, upTo: last)
            try bench.expectEqual(backend.value(of: 2, in: table), [2], "row 2")
            try bench.expectEqual(backend.count(of: table), 1, "rows")

            let next = try backend.position()
            try backend.keepChanges(after: next, for: "worker", limit: .max)
            let kept = [
                try backend.lastCommit(), try bench.commit { try $0.put([3], at: 2, in: table) },
            ]
            try backend.erasePast(upTo: kept[1])
            try bench.expectEqual(bench.feed(after: next), kept, "commits that a name keeps")
            try backend.letGoOfChanges(for: "worker")
            try backend.erasePast(upTo: backend.lastCommit())
            try bench.expectGone(after: next, upTo: kept[1])
            try bench.expectEqual(backend.value(of: 2, in: table), [3], "row 2 at last")
        }
    ]
}

extension Bench {
    fileprivate func expectGone(after start: ChangePosition, upTo last: CommitNumber) throws {
        do {
            let found = try feed(after: start)
            throw Unexpected("the feed has \(found) after they were erased")
        } catch BackendError.changesGone(let oldest) {
            try expect(oldest >= last, "the feed has what follows \(oldest), erased up to \(last)")
        }
    }
}
