import CabinetBackend

/// Which of the runs of a table are its layers.
///
/// A merge that was interrupted leaves its inputs beside its output, so runs may overlap. No list
/// of the runs is kept: their names say everything.
struct RunChain: Hashable {
    /// A run that may be one of the chain.
    struct Candidate: Hashable {
        var path: String
        var span: CommitSpan
    }

    /// From commit 0 on, without gap or overlap, oldest first.
    var chain: [Candidate]
    /// Runs of commits that the chain has too: they can be removed.
    var superseded: [Candidate]
    /// Runs of commits behind the chain, or partly so: behind a gap, overlapping, or of commits
    /// that the log does not have. They must be removed before their commits happen again.
    var unreachable: [Candidate]

    /// The last commit that the chain has; 0: it has no run.
    var reach: CommitNumber { chain.last?.span.to ?? 0 }

    /// Chooses the chain that reaches farthest; of these one with the fewest runs, and of these the
    /// one whose first runs are widest.
    ///
    /// - Parameters:
    ///   - candidates: whole runs of one table, in any order.
    ///   - lastCommit: the last commit that the log has. No run beyond it is believed.
    static func select(_ candidates: [Candidate], upTo lastCommit: CommitNumber) -> RunChain {
        if let chain = gapless(candidates, upTo: lastCommit) {
            return RunChain(chain: chain, superseded: [], unreachable: [])
        }
        let runs = candidates.filter { $0.span.from < $0.span.to && $0.span.to <= lastCommit }
        let steps = stepsToFarthest(runs)
        var chain: [Candidate] = []
        var position: CommitNumber = 0
        while let left = steps[position], left > 0 {
            let possible = runs.filter {
                $0.span.from == position && steps[$0.span.to] == left - 1
            }
            guard let widest = possible.max(by: isBefore) else { break }
            chain.append(widest)
            position = widest.span.to
        }
        var result = RunChain(chain: chain, superseded: [], unreachable: [])
        let chosen = Set(chain)
        for run in candidates where !chosen.contains(run) {
            if run.span.to <= position {
                result.superseded.append(run)
            } else {
                result.unreachable.append(run)
            }
        }
        return result
    }

    /// All candidates in their order if they are a chain, as nearly always; else `nil`.
    private static func gapless(
        _ candidates: [Candidate], upTo lastCommit: CommitNumber
    ) -> [Candidate]? {
        let chain = candidates.inOrder { $0.span.from < $1.span.from }
        var position: CommitNumber = 0
        for run in chain {
            guard run.span.from == position, position < run.span.to else { return nil }
            position = run.span.to
        }
        return position <= lastCommit ? chain : nil
    }

    /// Of two runs from the same commit, whether the other is to be chosen.
    private static func isBefore(_ one: Candidate, _ other: Candidate) -> Bool {
        one.span.to != other.span.to ? one.span.to < other.span.to : one.path > other.path
    }

    /// How many runs lead from each commit to the farthest one that can be reached from 0.
    private static func stepsToFarthest(_ runs: [Candidate]) -> [CommitNumber: Int] {
        var reached: Set<CommitNumber> = [0]
        for run in runs.inOrder(by: { $0.span.from < $1.span.from })
        where reached.contains(run.span.from) {
            reached.insert(run.span.to)
        }
        var steps: [CommitNumber: Int] = [reached.max() ?? 0: 0]
        for run in runs.inOrder(by: { $0.span.from > $1.span.from }) {
            guard let rest = steps[run.span.to] else { continue }
            steps[run.span.from] = min(steps[run.span.from] ?? .max, rest + 1)
        }
        return steps
    }
}
