import CabinetBackend

extension BackendRule {
    /// Commits whose answer was lost.
    static let outcomes: [BackendRule] = [
        BackendRule("what became of a commit whose answer was lost can be asked") { bench in
            guard let loseAnswer = bench.engine.loseAnswer else {
                do { _ = try bench.backend.outcome(of: 1) } catch BackendError.unsupported {
                    return
                }
                throw Unexpected("an outcome of a commit that never was")
            }
            let table = try bench.makeTable()
            var wanted: [UInt64: CommitOutcome] = [:]
            for (value, isMade) in [true, false, false, true].enumerated() {
                let last = try bench.backend.lastCommit()
                let before = try bench.backend.value(of: 2, in: table)
                loseAnswer(bench.backend, isMade)
                do {
                    try bench.commit { try $0.put([UInt8(value)], at: 2, in: table) }
                    throw Unexpected("the answer was not lost")
                } catch BackendError.outcomeUnknown(let token) {
                    wanted[token] = isMade ? .committed(last.next) : .notCommitted
                }
                for (token, outcome) in wanted {
                    try bench.expectEqual(
                        bench.backend.outcome(of: token), outcome, "what became of it")
                }
                try bench.expectEqual(
                    bench.backend.lastCommit(), isMade ? last.next : last, "the last commit")
                try bench.expectEqual(
                    bench.backend.value(of: 2, in: table), isMade ? [UInt8(value)] : before, "row 2"
                )
            }
            try bench.expectEqual(wanted.count, 4, "tokens")
            try bench.commit { try $0.put([7], at: 3, in: table) }
        }
    ]
}
