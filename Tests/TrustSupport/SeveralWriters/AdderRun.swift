#if SQLite || PostgreSQL
    import CLibrary
    import CabinetBackend
    import CabinetPostgreSQL
    import CabinetSQLite
    import Dispatch
    import Foundation

    /// A program that adds to ``Adders`` in a file of SQLite's, or at an address of PostgreSQL's, for as long as it lives, or so many times. It says
    /// `B` with an entry before each addition, and `A` with it afterwards.
    package struct AdderRun {
        package var path: String
        package var seed: UInt64
        package var durability = Durability.process
        /// So many additions are made; 0: no limit.
        package var additions = 0
        /// So many clients add in one process, each by a backend of its own.
        package var clients = 1

        package init(path: String, seed: UInt64) {
            self.path = path
            self.seed = seed
        }

        package var arguments: [String] {
            ["add", path] + [seed, UInt64(durability.rawValue)].map(String.init)
                + [additions, clients].map(String.init)
        }

        package init?(arguments: [String]) {
            guard arguments.count == 6, arguments[0] == "add", let seed = UInt64(arguments[2]),
                let durability = UInt8(arguments[3]).flatMap(Durability.init(rawValue:)),
                let additions = Int(arguments[4]), let clients = Int(arguments[5])
            else { return nil }
            path = arguments[1]
            self.seed = seed
            self.durability = durability
            self.additions = additions
            self.clients = clients
        }

        private func open() throws(BackendError) -> any Backend {
            #if PostgreSQL
                if path.hasPrefix("postgresql://") {
                    return try PostgresBackend(path, durability: durability)
                }
            #endif
            #if SQLite
                return try SQLiteBackend(path: path, durability: durability)
            #else
                throw .unsupported(path)
            #endif
        }

        /// The program's part.
        package func work(say: @escaping @Sendable (String) -> Void) throws {
            let failures = Guarded<[any Error]>([])
            let group = DispatchGroup()
            for client in 0..<clients {
                group.enter()
                // Dispatch would have no more of them at once than there are cores.
                Thread.detachNewThread {
                    do { try work(as: client, say: say) } catch {
                        failures.withLock { $0.append(error) }
                    }
                    group.leave()
                }
            }
            group.wait()
            if let failure = failures.withLock({ $0.first }) { throw failure }
            say("C")
        }

        private func work(as client: Int, say: (String) -> Void) throws {
            let backend = try open()
            let adders = try Adders(backend)
            var random = SeededRandom(seed: seed &* 100 &+ UInt64(client))
            var made = 0
            while additions == 0 || made < additions {
                var entry = RowID.none
                let conflicts = try adders.add(to: backend, &random) { row in
                    entry = row
                    say("B \(row)")
                }
                say("A \(entry) \(conflicts)")
                made += 1
            }
            try backend.close()
        }
    }

    /// Such a program that was started, and what it has said.
    package final class AdderProcess {
        private let child: ChildProcess
        package private(set) var made: Set<RowID> = []
        package private(set) var unknown: Set<RowID> = []
        /// How often others came first.
        package private(set) var conflicts = 0
        package private(set) var isClosed = false
        /// What it said that it should not have.
        package private(set) var complaint: String?

        package init(_ run: AdderRun, program: String) throws {
            child = try ChildProcess(program, run.arguments)
        }

        /// Reads so many lines. `false`: there are no more.
        @discardableResult
        package func read(_ lines: Int) -> Bool {
            for _ in 0..<lines {
                guard let line = child.nextLine() else { return false }
                take(line)
            }
            return true
        }

        private func take(_ line: String) {
            let words = line.split(separator: " ")
            let row = words.count > 1 ? UInt32(words[1]).map(RowID.init(rawValue:)) : nil
            switch (words.first, row) {
            case ("B", let row?): unknown.insert(row)
            case ("A", let row?):
                unknown.remove(row)
                made.insert(row)
                conflicts += words.count > 2 ? Int(words[2]) ?? 0 : 0
            case ("C", nil): isClosed = true
            default: complaint = line
            }
        }

        /// Kills it, and reads what it has said before.
        package func kill() {
            child.sendKill()
            finish()
        }

        /// Reads to its end.
        package func finish() {
            while read(1) {}
            _ = child.wait()
        }
    }
#endif
