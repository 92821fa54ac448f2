#if DEBUG || SCHEDULES
    import CabinetBackend
    import Testing
    import TrustSupport

    @testable import Cabinet

    /// Stores on threads of their own, in orders that seeds give: whatever comes between whatever, an index,
    /// a text index and a table of referrers have what was saved, or say that they have not.
    ///
    /// `CABINET_SCHEDULES` says how many schedules there are, `CABINET_SEED` which is the first (`make
    /// schedules`), and `CABINET_STEP` the only step to leave out.
    @Suite("Schedules")
    struct ScheduleTests {
        private static let isLong = RunSetting.number("CABINET_SCHEDULES") != nil
        private static let count = RunSetting.number("CABINET_SCHEDULES") ?? 120
        private static let share = 20
        private static let first = isLong ? RunSetting.seed : RunSetting.seeds(1).lowerBound
        /// Those that few schedules need, and in the long form others. What the remaining ones guard against,
        /// another step mostly keeps from happening, too: 2,000 schedules may miss it.
        private static let steps: [GuardedStep] =
            RunSetting.text("CABINET_STEP").flatMap(GuardedStep.init).map { [$0] }
            ?? [.catalogOfBasis, .leftBehind, .readerOfBuilder]
            + (isLong
                ? [
                    .comparedRows, .comparedKeys, .unchangedEntries, .registrations, .groupDecides,
                    .unchangedRows, .lastBasisOfReferrers,
                ] : [])

        @Test(arguments: 0..<(count + share - 1) / share)
        func noKeyIsLostWhateverTheOrder(_ part: Int) async throws {
            for index in part * Self.share..<min((part + 1) * Self.share, Self.count) {
                let seed = Self.first &+ UInt64(index)
                let run = ScheduledRun(seed: seed, isInFiles: index % 10 == 9)
                for failure in try await run.failures() { Issue.record("\(failure)") }
            }
        }

        /// The run sees what it is to see.
        @Test(arguments: steps)
        func aStepThatIsLeftOutIsFound(_ step: GuardedStep) async throws {
            for seed in 1...UInt64(2_000) {
                let run = ScheduledRun(
                    seed: seed, isInFiles: step == .groupDecides, leftOut: step)
                if let found = try await run.failures().first {
                    if Self.isLong { print("Without \(step): \(found)") }
                    return
                }
            }
            Issue.record("2,000 schedules without \(step) found nothing")
        }
    }
#endif
