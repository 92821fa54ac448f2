import CabinetBackend

extension BackendRule {
    /// Positions in the feed that can be kept.
    static let lines: [BackendRule] = [
        BackendRule("every commit is of a line, and no two stores have one", needs: .lines) {
            bench in
            let other = try Bench(bench.engine)
            defer { other.leave() }
            var seen: Set<UInt64> = [0]
            for bench in [bench, other] {
                try bench.expectEqual(bench.backend.lines(), [], "lines before the first commit")
                try bench.expectEqual(bench.backend.position(), .start, "the first position")
                let table = try bench.makeTable()
                let first = try bench.backend.lastCommit()
                let last = try bench.commit { try $0.put([1], at: 2, in: table) }
                let lines = try bench.backend.lines()
                try bench.expect(lines.first?.first ?? 0 == 1, "the lines are \(lines)")
                for line in lines {
                    try bench.expect(seen.insert(line.number).inserted, "the lines are \(lines)")
                }
                try bench.expect(
                    zip(lines, lines.dropFirst()).allSatisfy { $0.first < $1.first },
                    "the lines are \(lines)")
                let position = try bench.backend.position()
                try bench.expectEqual(position.commit, last, "the commit of the position")
                try bench.expectEqual(position.line, lines.last?.number, "its line")
                try bench.expectEqual(
                    bench.backend.position(of: first),
                    ChangePosition(line: position.line, commit: first), "an earlier position")
            }
        },
        BackendRule(
            "the feed goes on from a position that was kept, and from no other",
            needs: [.changes, .lines]
        ) { bench in
            let table = try bench.makeTable()
            var positions: [ChangePosition] = []
            for row in 2..<6 as Range<RowID> {
                try bench.commit { try $0.put([1], at: row, in: table) }
                positions.append(try bench.backend.position())
            }
            for (index, position) in positions.enumerated() {
                let cursor = try bench.backend.changes(after: position)
                for later in positions[(index + 1)...] {
                    try bench.expectEqual(cursor.next()?.number, later.commit, "the next commit")
                }
                try bench.expectEqual(cursor.next()?.number, nil, "at the end")
            }
            let start = try bench.backend.changes(after: .start)
            try bench.expectEqual(start.next()?.number, 1, "the first commit")
            let (line, last) = (positions[0].line, try bench.backend.lastCommit())
            for position in [
                ChangePosition(line: line, commit: last.next),
                ChangePosition(line: line &+ 1, commit: last),
                ChangePosition(line: line &+ 1, commit: 0), ChangePosition(line: 0, commit: last),
            ] {
                do {
                    _ = try bench.backend.changes(after: position)
                } catch BackendError.changesGone {
                    continue
                }
                throw Unexpected("\(position) holds")
            }
        },
        BackendRule(
            "a position holds when the store is opened again", needsReopening: true,
            needs: [.changes, .lines]
        ) { bench in
            let table = try bench.makeTable()
            let kept = try bench.backend.position()
            let next = try bench.commit { try $0.put([1], at: 2, in: table) }
            let lines = try bench.backend.lines()
            for access in [Access.readOnly, .readWrite] {
                try bench.reopen(access)
                try bench.expectEqual(bench.backend.lines(), lines, "lines, \(access)")
                let cursor = try bench.backend.changes(after: kept)
                try bench.expectEqual(cursor.next()?.number, next, "the next commit, \(access)")
            }
            let later = try bench.commit { try $0.put([2], at: 2, in: table) }
            try bench.expectEqual(
                bench.backend.position(), ChangePosition(line: kept.line, commit: later),
                "the position later")
        },
    ]
}
