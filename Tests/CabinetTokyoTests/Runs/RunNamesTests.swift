import CabinetBackend
import Testing

@testable import CabinetTokyo

struct RunNamesTests {
    @Test func aNameSaysTableAndCommits() {
        let name = RunName(table: "Song.title", span: CommitSpan(from: 0, to: 0xABC))
        #expect(name.fileName == "Song.title.0000000000000000-0000000000000abc.run")
        #expect(RunName(fileName: name.fileName) == name)
        let last = RunName(table: "a", span: CommitSpan(from: CommitNumber.max.previous, to: .max))
        #expect(last.fileName == "a.fffffffffffffffe-ffffffffffffffff.run")
        #expect(RunName(fileName: last.fileName) == last)
        // A table may have the name of a run.
        let nested = RunName(table: name.fileName, span: CommitSpan(from: 1, to: 2))
        #expect(RunName(fileName: nested.fileName) == nested)
    }

    @Test(arguments: [
        "", ".run", "Song", "Song.run", ".0000000000000000-0000000000000001.run",
        "Song.0000000000000001-0000000000000001.run", "Song.0000000000000002-0000000000000001.run",
        "Song.0000000000000000-000000000000000A.run", "Song.0000000000000000-000000000000000g.run",
        "Song.0000000000000000-0000000000000001.ruN", "Song.0000000000000000_0000000000000001.run",
        "Song.000000000000000-00000000000000001.run", "Song-0000000000000000-0000000000000001.run",
        "Song.+000000000000000-0000000000000001.run",
        "Song.0000000000000000-0000000000000001.run.new",
        "Song.0000000000000000-00000000000000é.run",
    ])
    func otherNamesAreNone(_ name: String) { #expect(RunName(fileName: name) == nil) }

    private typealias Candidate = RunChain.Candidate

    private func candidates(_ spans: [(UInt64, UInt64)]) -> [Candidate] {
        spans.map {
            Candidate(
                path: "\($0.0)-\($0.1)",
                span: CommitSpan(from: CommitNumber($0.0), to: CommitNumber($0.1)))
        }
    }

    private func chosen(_ spans: [(UInt64, UInt64)], upTo last: UInt64) -> [String] {
        RunChain.select(candidates(spans), upTo: CommitNumber(last)).chain.map(\.path)
    }

    @Test func aChainHasNoGapsAndPrefersWideRuns() {
        #expect(chosen([], upTo: 9) == [])
        #expect(chosen([(1, 5)], upTo: 9) == [])
        #expect(chosen([(0, 5), (5, 9)], upTo: 9) == ["0-5", "5-9"])
        #expect(chosen([(5, 9), (0, 5), (0, 9)], upTo: 9) == ["0-9"])
        #expect(chosen([(0, 5), (5, 9), (0, 9)], upTo: 8) == ["0-5"])
        #expect(chosen([(0, 10), (0, 5), (5, 20)], upTo: 20) == ["0-5", "5-20"])
        #expect(chosen([(0, 2), (2, 4), (4, 6), (2, 6)], upTo: 9) == ["0-2", "2-6"])
        #expect(chosen([(0, 2), (3, 9)], upTo: 9) == ["0-2"])
        #expect(chosen([(0, .max)], upTo: .max) == ["0-\(UInt64.max)"])
    }

    @Test func whatIsNotInTheChainIsKnown() {
        let result = RunChain.select(
            candidates([(0, 4), (4, 8), (0, 8), (8, 10), (9, 12), (8, 20), (7, 9)]), upTo: 12)
        #expect(result.chain.map(\.path) == ["0-8", "8-10"])
        #expect(result.superseded.map(\.path) == ["0-4", "4-8", "7-9"])
        #expect(result.unreachable.map(\.path) == ["9-12", "8-20"])
        #expect(result.reach == 10)
    }

    /// All sets of runs over five commits, against all chains that there are.
    @Test func everySmallSetGivesTheBestChain() {
        let spans = (0..<5 as Range<UInt64>).flatMap { from in
            (from + 1...5).map { (from, $0) }
        }
        for set in 0..<(1 << spans.count) {
            let present = spans.indices.filter { set >> $0 & 1 == 1 }.map { spans[$0] }
            let last = UInt64(3 + set % 3)
            let result = RunChain.select(candidates(present), upTo: CommitNumber(last))
            var best: (reach: UInt64, runs: Int) = (0, 0)
            func extend(_ position: UInt64, _ runs: Int) {
                if position > best.reach || position == best.reach && runs < best.runs {
                    best = (position, runs)
                }
                for (from, to) in present where from == position && to <= last {
                    extend(to, runs + 1)
                }
            }
            extend(0, 0)
            var position = CommitNumber.none
            var isWhole = true
            for run in result.chain {
                isWhole = isWhole && run.span.from == position
                position = run.span.to
            }
            let count = result.chain.count + result.superseded.count + result.unreachable.count
            let isBest = position.rawValue == best.reach && result.chain.count == best.runs
            if !isWhole || !isBest || count != present.count {
                Issue.record("\(present) up to \(last): \(result)")
                return
            }
        }
    }
}
