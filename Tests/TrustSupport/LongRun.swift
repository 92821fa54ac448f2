import CabinetBackend

/// The runs that take minutes or hours, as a command line asks for them.
package enum LongRun {
    /// Does what `arguments` say. Returns what the process is to exit with; `nil` for arguments
    /// that are none.
    package static func run(
        _ arguments: [String], say: @escaping @Sendable (String) -> Void
    ) async throws -> Int32? {
        guard arguments.count == 3, let count = Int(arguments[1]),
            let seed = UInt64(arguments[2]), let program = BuiltProgram.path("CrashWorker")
        else { return nil }
        switch arguments[0] {
        case "kills": return try await kills(program, count, seed, say)
        case "documents": return try documents(program, count, seed, say)
        case "cuts": return try await cuts(count, seed, say)
        case "ordered": return try await ordered(count, seed, say)
        case "queries": return try await queries(count, seed, say)
        case "load": return try load(count, seed, say)
        case "damages": return try await damages(program, count, seed, say)
        default: return nil
        }
    }

    /// Makes a constant load for `count` seconds, and prints what memory the process has.
    private static func load(
        _ count: Int, _ seed: UInt64, _ say: @escaping @Sendable (String) -> Void
    ) throws -> Int32 {
        let directory = ScratchDirectory()
        try ConstantLoad(directory: directory.file("store"), seed: seed)
            .run(seconds: Double(count), say: say)
        return 0
    }

    private static func kills(
        _ program: String, _ count: Int, _ seed: UInt64, _ say: @escaping @Sendable (String) -> Void
    ) async throws -> Int32 {
        let campaign = KillCampaign(program: program, seed: seed, count: count)
        var sum = KillTally()
        try await withThrowingTaskGroup(of: KillTally.self) { group in
            for lane in 0..<2 {
                group.addTask {
                    try campaign.run(lane: lane, of: 2) { say("lane \(lane): \($0.description)") }
                }
            }
            for try await part in group { sum.add(part) }
        }
        for loss in sum.losses { say(loss) }
        say("seed \(seed): \(sum.description)")
        return sum.losses.isEmpty ? 0 : 1
    }

    private static func documents(
        _ program: String, _ count: Int, _ seed: UInt64, _ say: (String) -> Void
    ) throws -> Int32 {
        let sum = try DocumentKillRun.campaign(program: program, seed: seed, count: count) {
            say($0.description)
        }
        for loss in sum.losses { say(loss) }
        say("seed \(seed): \(sum.description)")
        return sum.losses.isEmpty ? 0 : 1
    }

    private static func cuts(
        _ count: Int, _ seed: UInt64, _ say: @escaping @Sendable (String) -> Void
    ) async throws -> Int32 {
        var sum = PowerCutRun.Tally()
        try await withThrowingTaskGroup(of: PowerCutRun.Tally.self) { group in
            for durability in [Durability.full, .process] {
                group.addTask {
                    try PowerCutCampaign(seed: seed, durability: durability)
                        .run(states: count / 2) { say("\(durability): \($0.description)") }
                }
            }
            for try await part in group { sum.add(part) }
        }
        for failure in sum.failures { say(failure) }
        say("seed \(seed): \(sum.description)")
        return sum.failures.isEmpty ? 0 : 1
    }

    /// Makes `count` steps with ordered tables, in stores of 2,000 steps each.
    private static func ordered(
        _ count: Int, _ seed: UInt64, _ say: @escaping @Sendable (String) -> Void
    ) async throws -> Int32 {
        try await stores(of: 2000, count, seed, "steps", say) { seed, steps in
            let model = try OrderedModel(seed: seed)
            for _ in 0..<steps { try model.step() }
            try model.compareAll()
        }
    }

    /// Asks `count` random queries, in stores of 1,000 each.
    private static func queries(
        _ count: Int, _ seed: UInt64, _ say: @escaping @Sendable (String) -> Void
    ) async throws -> Int32 {
        try await stores(of: 1000, count, seed, "queries", say) { seed, count in
            let model = try QueryModel(seed: seed)
            for _ in 0..<max(count / 5, 1) { try model.step(queries: 5) }
        }
    }

    /// Runs `body` with a seed of its own for each store, of which `perStore` of `count` are in one,
    /// and prints what it throws.
    private static func stores(
        of perStore: Int, _ count: Int, _ seed: UInt64, _ noun: String,
        _ say: @escaping @Sendable (String) -> Void,
        _ body: @escaping @Sendable (_ seed: UInt64, _ count: Int) throws -> Void
    ) async throws -> Int32 {
        let stores = max(count / perStore, 1)
        let failures = try await withThrowingTaskGroup(of: [String].self) { group in
            for lane in 0..<2 {
                group.addTask {
                    var failures: [String] = []
                    for store in stride(from: lane, to: stores, by: 2) {
                        let part = seed &+ UInt64(store)
                        do { try body(part, min(perStore, count)) } catch {
                            failures.append("seed \(part): \(error)")
                        }
                        if store % 10 == lane { say("\(store * perStore) \(noun)") }
                    }
                    return failures
                }
            }
            var all: [String] = []
            for try await part in group { all += part }
            return all
        }
        for text in failures { say(text) }
        say(
            "seed \(seed): \(stores * min(perStore, count)) \(noun), \(failures.count) stores wrong"
        )
        return failures.isEmpty ? 0 : 1
    }

    private static func damages(
        _ program: String, _ count: Int, _ seed: UInt64, _ say: (String) -> Void
    ) async throws -> Int32 {
        var failures = 0
        for isClosed in [true, false] {
            var run = DamageRun(seed: seed, isClosed: isClosed, count: count == 0 ? nil : count)
            run.lanes = 2
            var (tried, wrong) = (0, [String]())
            try await withThrowingTaskGroup(of: (tried: Int, wrong: [String]).self) { group in
                for lane in 0..<run.lanes {
                    run.lane = lane
                    group.addTask { [run] in try run.run(program: program) }
                }
                for try await part in group {
                    tried += part.tried
                    wrong += part.wrong
                }
            }
            for text in wrong { say(text) }
            say("seed \(seed), closed in order \(isClosed): tried \(tried), wrong \(wrong.count)")
            failures += wrong.count
        }
        return failures == 0 ? 0 : 1
    }
}
