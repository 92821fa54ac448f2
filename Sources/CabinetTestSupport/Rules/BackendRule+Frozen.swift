import CabinetBackend

extension BackendRule {
    /// The rules about reads, each of which also holds of a reader that was frozen before what it
    /// reads was changed.
    static let frozen: [BackendRule] = (records + values + named + ordered + walks + cursors)
        .filter { !notOfFrozenReads.contains($0.name) }
        .map { rule in
            BackendRule("\(rule.name), of a frozen reader", needs: .snapshots) { bench in
                let open = bench.engine.open
                let frozen = EngineUnderTest(
                    bench.engine.description, keepsData: false, features: bench.engine.features
                ) { directory, access in FrozenReads(try open(directory, access)) }
                let other = try Bench(frozen)
                defer { other.leave() }
                try rule.body(other)
            }
        }

    /// Rules about something else than what a read finds, and those of many threads.
    private static let notOfFrozenReads: Set<String> = [
        "a run holds about 256 KiB", "a walk goes on while other threads commit",
        "who reads ahead does not wait for a batch that is being written",
        "the last commit is the one that was made last",
        "an engine has the optional parts that it says it has",
    ]
}
