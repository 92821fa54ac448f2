#if PostgreSQL
    import CLibrary
    import CabinetBackend
    import CabinetPostgreSQL
    import CabinetTestSupport
    import Testing
    import TrustSupport

    /// Processes of their own over one store; kills of them, and of the server.
    @Suite(.enabled(if: PostgresServer.isInstalled))
    struct SeveralProcessTests {
        /// So many saves are made at least by processes of which half are killed.
        private static let saves = RunSetting.number("CABINET_SAVES") ?? 1000

        /// In each process; where many saves are asked for, 64 in all.
        private static let clients = saves < 10_000 ? 2 : 8

        /// Eight processes write, by several clients each; one after the other is killed at any moment, and another
        /// takes its place.
        @Test func aKilledProcessLeavesNoHalfCommit() throws {
            let program = try #require(BuiltProgram.path("CrashWorker"))
            let store = try SharedStore()
            var random = SeededRandom(seed: RunSetting.seed)
            var started = RunSetting.seed &* 1000
            func start() throws -> AdderProcess {
                started &+= 1
                var run = AdderRun(
                    path: store.server.address() + "?store=" + store.name, seed: started)
                // Some commits are synced.
                run.durability = started % 3 == 0 ? .full : .process
                run.clients = Self.clients
                return try AdderProcess(run, program: program)
            }
            var (made, unknown) = (Set<RowID>(), Set<RowID>())
            var conflicts = 0
            func end(_ process: AdderProcess) {
                process.kill()
                #expect(process.complaint == nil)
                made.formUnion(process.made)
                unknown.formUnion(process.unknown)
                conflicts += process.conflicts
            }
            var processes = try (0..<8).map { _ in try start() }
            func count() -> Int { processes.reduce(made.count) { $0 + $1.made.count } }
            while count() < Self.saves {
                // One whose lines are not read stands still.
                for process in processes { process.read(1 + random.below(20)) }
                guard random.once(in: Self.saves < 10_000 ? 2 : 50) else { continue }
                let index = random.below(8)
                end(processes[index])
                processes[index] = try start()
            }
            for process in processes {
                process.read(1 + random.below(30))
                end(process)
            }
            let backend = try store.open()
            let fault = try Adders(backend).fault(in: backend, made: made, unknown: unknown)
            #expect(fault == nil)
            if Self.saves >= 10_000 { print("\(made.count) saves, \(conflicts) conflicts") }
        }

        /// Whoever writes while the server is killed goes on when it is there again: what was acknowledged is
        /// there, each commit once.
        @Test func aKilledServerLosesNothing() throws {
            let program = try #require(BuiltProgram.path("CrashWorker"))
            let server = try #require(try PostgresServer.another())
            let address = server.address() + "?store=killed"
            var processes: [AdderProcess] = []
            for index in 0..<3 as Range<UInt64> {
                var run = AdderRun(path: address, seed: index)
                run.durability = .full
                processes.append(try AdderProcess(run, program: program))
            }
            for _ in 0..<3 {
                for process in processes { #expect(process.read(20)) }
                try server.kill()
                for process in processes { #expect(process.read(8)) }
            }
            try expectAllThere(of: processes, in: PostgresBackend(address))
        }

        private func expectAllThere(
            of processes: [AdderProcess], in backend: PostgresBackend
        ) throws {
            for process in processes { process.kill() }
            for process in processes { #expect(process.complaint == nil) }
            let made = processes.reduce(into: Set<RowID>()) { $0.formUnion($1.made) }
            let unknown = processes.reduce(into: Set<RowID>()) { $0.formUnion($1.unknown) }
            try backend.refresh()
            let fault = try Adders(backend).fault(in: backend, made: made, unknown: unknown)
            #expect(fault == nil)
        }

        /// Asks every tenth of a second, for a minute at most.
        private func wait(until isThere: () throws -> Bool) throws {
            for _ in 0..<600 {
                if try isThere() { return }
                usleep(100_000)
            }
        }

        /// Where a standby is synchronous, all that was acknowledged is there when it takes the server's place.
        @Test func aPromotedStandbyHasAllThatWasAcknowledged() throws {
            let program = try #require(BuiltProgram.path("CrashWorker"))
            let server = try #require(try PostgresServer.another())
            try server.addStandby()
            let standby = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
            try wait { try server.run(standby, []) == ["1"] }
            #expect(try server.run(standby, []) == ["1"])
            let address = server.addressOfBoth + "&store=promoted"
            let processes = try (0..<3 as Range<UInt64>).map { index in
                var run = AdderRun(path: address, seed: index)
                run.durability = .full
                return try AdderProcess(run, program: program)
            }
            for process in processes { #expect(process.read(20)) }
            let backend = try PostgresBackend(address)
            try server.promoteStandby()
            // Its commits are a line of their own, and all go on there.
            try wait {
                try backend.refresh()
                return try backend.lines().count == 2
            }
            #expect(try backend.lines().count == 2)
            let first = try backend.lastCommit()
            try wait { try backend.refresh().rawValue >= first.rawValue + 20 }
            #expect(try backend.lastCommit().rawValue >= first.rawValue + 20)
            try expectAllThere(of: processes, in: backend)
        }
    }
#endif
