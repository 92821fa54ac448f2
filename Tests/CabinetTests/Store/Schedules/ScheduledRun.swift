#if DEBUG || SCHEDULES
    import CabinetBackend
    import CabinetMemory
    import CabinetTestSupport
    import CabinetTokyo
    import Foundation
    import TrustSupport

    @testable import Cabinet

    /// One schedule: two or three threads over one new backend, by one seed. Afterwards every index, text index
    /// and table of referrers is compared with the records.
    struct ScheduledRun {
        let seed: UInt64
        /// Whether a directory is saved to, at ``Durability/full``: a schedule that takes longer.
        var isInFiles = false
        /// A step that all threads leave out.
        var leftOut: GuardedStep?

        /// What was wrong; empty if nothing was.
        func failures() async throws -> [String] {
            let directory = try isInFiles ? TemporaryDirectory() : nil
            let backend: any Backend =
                if let directory {
                    try TokyoBackend(path: directory.path + "/Store", files: QuickFiles())
                } else {
                    MemoryBackend()
                }
            // Keeps the backend open between two stores.
            let container = StoreContainer(backend: backend, classes: [])
            defer { try? container.close() }
            var failures = await work(over: backend)
            do {
                failures += try await Self.findings(backend)
            } catch {
                failures.append("afterwards: \(error)")
            }
            return failures.map { "seed \(seed)\(isInFiles ? " in files" : ""): \($0)" }
        }

        /// Has the threads do their work.
        private func work(over backend: any Backend) async -> [String] {
            var random = SeededRandom(seed: seed)
            let schedule = SeededSchedule(seed: seed, leavingOut: leftOut)
            let hooks = schedule.makeSchedule()
            let count = 2 + random.below(2)
            let steps = 4 + random.below(9)
            // Every third schedule has a program that knows no index.
            let plain = random.once(in: 3) ? random.below(count) : nil
            let failures = Guarded<[String]>([])
            let group = DispatchGroup()
            let numbers = (0..<count).map { _ in schedule.expectThread() }
            for number in 0..<count {
                group.enter()
                let thread = Thread { [seed] in
                    hooks.run(numbers[number]) {
                        do {
                            if number == plain {
                                var work = try ScheduledWork<PlainTune, PlainDisc>(
                                    backend, seed: seed, number: number)
                                try work.run(steps: steps)
                            } else {
                                var work = try ScheduledWork<IndexedTune, TrackedDisc>(
                                    backend, seed: seed, number: number)
                                try work.run(steps: steps)
                            }
                        } catch {
                            failures.withLock { $0.append("thread \(number): \(error)") }
                        }
                    }
                    group.leave()
                }
                thread.stackSize = 1 << 20
                thread.start()
            }
            await withCheckedContinuation { continuation in
                group.notify(queue: .global()) { continuation.resume() }
            }
            return failures.withLock { $0 }
        }

        /// What counts as complete must agree with the records as it is, and again once all is built.
        private static func findings(_ backend: any Backend) async throws -> [String] {
            let store = try Store(backend: backend, classes: [IndexedTune.self, TrackedDisc.self])
            var findings: [GraphFinding] = []
            for isBuilt in [false, true] {
                if isBuilt { try await store.indexesBuilt() }
                findings += try await StoreSchema.check(backend).findings
                findings += try store.indexFindings()
                findings += try store.textFindings()
                if !findings.isEmpty { break }
            }
            let tables = Set(try backend.tables().map(\.name))
            let number = try store.registered(IndexedTune.self).number
            let entries =
                try backend.indexEntries(ofClass: number).all
                + backend.textEntries(ofClass: number).all
            for entry in entries where !tables.contains(entry.table) {
                return ["an index without a table: \(entry)"]
            }
            if findings.isEmpty, !store.incompleteIndexes.isEmpty {
                return ["not built: \(store.incompleteIndexes)"]
            }
            try store.close()
            return findings.map { "\($0)" }
        }
    }
#endif
