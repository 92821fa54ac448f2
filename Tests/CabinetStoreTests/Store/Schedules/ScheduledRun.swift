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
            var random = SeededRandom(seed: seed, part: 1_000)
            if random.once(in: 2) { try Self.begin(backend, keepsSongs: random.once(in: 2)) }
            var failures = await work(over: backend)
            do {
                failures += try await Self.findings(backend)
            } catch {
                failures.append("afterwards: \(error)")
            }
            return failures.map { "seed \(seed)\(isInFiles ? " in files" : ""): \($0)" }
        }

        /// Has a program without indexes save before all others: the classes have their tables then, without or
        /// with a few records.
        private static func begin(_ backend: any Backend, keepsSongs: Bool) throws {
            let store = try Store(backend: backend, classes: [PlainTune.self, PlainDisc.self])
            let songs = (1...5).map { number in
                let song = PlainTune()
                song.number = number
                song.title = "Roses"
                return song
            }
            let disc = PlainDisc()
            for song in songs {
                store.insert(song)
                song.disc = disc
            }
            try store.save()
            if !keepsSongs {
                for song in songs { try store.delete(song) }
                try store.delete(disc)
                try store.save()
            }
            try store.close()
        }

        /// Has the threads do their work.
        private func work(over backend: any Backend) async -> [String] {
            var random = SeededRandom(seed: seed)
            let schedule = SeededSchedule(seed: seed, leavingOut: leftOut)
            let hooks = schedule.makeSchedule()
            let count = 2 + random.below(2)
            let steps = 4 + random.below(9)
            // In half of the schedules, some of the threads are of a program that knows no index.
            let knowsIndexes = random.once(in: 2)
            let plain = (0..<count).map { _ in !knowsIndexes && random.once(in: 2) }
            // Every third schedule has threads that open their store when others are at work.
            let isLate = random.once(in: 3)
            let delays = (0..<count).map { _ in isLate ? random.below(60) : 0 }
            let failures = Guarded<[String]>([])
            let group = DispatchGroup()
            let numbers = (0..<count).map { _ in schedule.expectThread() }
            for number in 0..<count {
                group.enter()
                let thread = Thread { [seed] in
                    hooks.run(numbers[number]) {
                        for _ in 0..<delays[number] { SchedulePoint.sleep.pass() }
                        do {
                            if plain[number] {
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
            var findings: [CheckFinding] = []
            for isBuilt in [false, true] {
                if isBuilt { try await store.indexes.buildInBackground() }
                findings += try await StoreSchema.check(backend).findings
                findings += try store.indexFindings()
                if !findings.isEmpty { break }
            }
            let tables = Set(try backend.tables().map(\.name))
            let number = try store.registered(IndexedTune.self).number
            let entries =
                try backend.derivedEntries(ofClass: number).all
            for entry in entries where !tables.contains(entry.table) {
                return ["an index without a table: \(entry)"]
            }
            let incomplete = try store.incompleteParts()
            if findings.isEmpty, !incomplete.isEmpty { return ["not built: \(incomplete)"] }
            try store.close()
            return findings.map { "\($0)" }
        }
    }
#endif
