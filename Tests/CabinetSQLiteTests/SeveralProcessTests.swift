#if SQLite
    import CabinetBackend
    import CabinetSQLite
    import CabinetTestSupport
    import Testing
    import TrustSupport

    /// Processes of their own over one file, and kills.
    struct SeveralProcessTests {
        @Test(arguments: RunSetting.seeds(4))
        func processesThatAddLoseNothing(_ seed: UInt64) throws {
            let program = try #require(BuiltProgram.path("CrashWorker"))
            let file = try SharedFile()
            let processes = try (0..<3).map { index in
                var run = AdderRun(path: file.path, seed: seed * 10 + UInt64(index))
                run.additions = 60
                return try AdderProcess(run, program: program)
            }
            for process in processes { process.finish() }
            let made = processes.reduce(into: Set<RowID>()) { $0.formUnion($1.made) }
            #expect(processes.allSatisfy { $0.isClosed && $0.complaint == nil })
            #expect(made.count == 180)
            let backend = try file.open()
            let fault = try Adders(backend).fault(in: backend, made: made, unknown: [])
            #expect(fault == nil)
        }

        /// Processes are killed at any moment, and others take their place, while the rest goes on.
        @Test(arguments: RunSetting.seeds(8))
        func aKilledProcessLeavesNoHalfCommit(_ seed: UInt64) throws {
            let program = try #require(BuiltProgram.path("CrashWorker"))
            let file = try SharedFile()
            var random = SeededRandom(seed: seed)
            var started = seed * 100
            func start() throws -> AdderProcess {
                started += 1
                var run = AdderRun(path: file.path, seed: started)
                // Some commits are synced.
                run.durability = started % 3 == 0 ? .full : .process
                return try AdderProcess(run, program: program)
            }
            var (made, unknown) = (Set<RowID>(), Set<RowID>())
            func end(_ process: AdderProcess) {
                process.kill()
                #expect(process.complaint == nil, "seed \(seed)")
                made.formUnion(process.made)
                unknown.formUnion(process.unknown)
            }
            var processes = try (0..<3).map { _ in try start() }
            for _ in 0..<8 {
                let index = random.below(3)
                processes[index].read(1 + random.below(30))
                end(processes[index])
                processes[index] = try start()
            }
            for process in processes {
                process.read(1 + random.below(30))
                end(process)
            }
            let backend = try file.open()
            let fault = try Adders(backend).fault(in: backend, made: made, unknown: unknown)
            #expect(fault == nil, "seed \(seed)")
            #expect(try file.run("PRAGMA integrity_check") == ["ok"])
            // Who came after those who were killed has taken them off the list.
            #expect(try file.run("SELECT count(*) FROM sessions") == ["1"])
        }
    }
#endif
