#if PostgreSQL
    import CLibrary
    import CabinetBackend
    import CabinetPostgreSQL
    import CabinetTestSupport
    import Dispatch
    import Foundation
    import Testing
    import TrustSupport

    /// What an administrator has set for a role or a database, or the server's end, takes back no promise.
    @Suite(.enabled(if: PostgresServer.isInstalled))
    struct SettingsTests {
        /// The address for a role of its own that has some settings.
        private func address(_ store: SharedStore, _ settings: String...) throws -> String {
            let role = "role-\(store.name)"
            try store.server.run(
                "CREATE ROLE \"\(role)\" LOGIN",
                ["GRANT CREATE ON DATABASE postgres TO \"\(role)\""]
                    + settings.map { "ALTER ROLE \"\(role)\" \($0)" })
            return store.server.address(user: role)
        }

        /// Calls `body` on threads of their own, and expects that it does not throw.
        private func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) {
            let failures = Guarded<[any Error]>([])
            let group = DispatchGroup()
            for index in 0..<count {
                group.enter()
                Thread {
                    do { try body(index) } catch { failures.withLock { $0.append(error) } }
                    group.leave()
                }.start()
            }
            group.wait()
            #expect(failures.withLock { $0.map { "\($0)" } } == [])
        }

        /// The user of the server's processes.
        private func owner(of directory: String) throws -> uid_t {
            var status = stat()
            try #require(stat(directory, &status) == 0)
            return status.st_uid
        }

        /// Whatever a transaction is by default, each one is what it has to be.
        @Test func settingsOfARoleChangeNothing() throws {
            let store = try SharedStore()
            let address = try address(
                store, "SET default_transaction_isolation = serializable",
                "SET default_transaction_read_only = on",
                "SET default_transaction_deferrable = on", "SET search_path = nowhere",
                "SET synchronous_commit = off", "SET idle_in_transaction_session_timeout = 2000",
                "SET bytea_output = escape", "SET standard_conforming_strings = off",
                "SET quote_all_identifiers = on", "SET client_min_messages = debug1",
                "SET enable_indexscan = off", "SET timezone = 'Asia/Kathmandu'")
            let backends = try (0..<6).map { _ in try store.open(at: address) }
            let given = Guarded<[RowID]>([])
            inParallel(backends.count) { index in
                let backend = backends[index]
                let table = try backend.claim(TableClaim(kind: .record, name: "Song")).number
                for step in 0..<12 as Range<UInt8> {
                    let rows = try backend.reserveRows(300, in: table)
                    given.withLock { $0.append(rows.lowerBound) }
                    if index == 0, step == 0 {
                        let song = try backend.claim(TableClaim(kind: .record, name: "Song"))
                        try backend.commit { try $0.define(song) }
                    }
                    // A table is there once the first one has committed it.
                    while try backend.tables().isEmpty { try backend.refresh() }
                    try backend.commit { try $0.put([step], at: rows.lowerBound, in: table) }
                    let work = try backend.claimWork("work \(index)")
                    if try work == nil || backend.value(of: rows.lowerBound, in: table) != [step] {
                        throw BackendError.closed
                    }
                }
            }
            let rows = given.withLock { $0 }
            #expect(Set(rows).count == 72)
            let other = try store.open()
            let table = try #require(try other.tables().first).number
            #expect(try other.count(of: table) == 72 && other.lastCommit() == 73)
            try other.commit { batch in for row in rows { try batch.deleteRow(row, in: table) } }
            for backend in backends {
                try backend.refresh()
                #expect(try backend.count(of: table) == 0)
                try backend.close()
            }
        }

        /// Who is over the limit waits for others to end, as long as patience lasts.
        @Test func aFullServerIsWaitedFor() throws {
            let store = try SharedStore()
            let address = try address(store, "CONNECTION LIMIT 1")
            let one = try store.open(at: address)
            #expect {
                try store.open(at: address, patience: .milliseconds(100))
            } throws: {
                "\($0)".contains("too many connections")
            }
            inParallel(2) { index in
                if index == 0 {
                    usleep(200_000)
                    try one.close()
                } else {
                    try store.open(at: address).close()
                }
            }
        }

        /// Opening waits for a server that has gone and is soon there again, for as long as connecting may take.
        @Test func openingWaitsForAServerThatStarts() throws {
            let store = try SharedStore()
            let proxy = try PostgresProxy(before: store.server)
            proxy.refuse(true)
            #expect {
                try store.open(at: proxy.address, patience: .zero)
            } throws: {
                "\($0)".contains("cannot be reached")
            }
            inParallel(2) { index in
                if index == 0 {
                    usleep(200_000)
                    proxy.refuse(false)
                } else {
                    try store.open(at: proxy.address).close()
                }
            }
            // Cut while it looks at the store, or makes it.
            let other = try SharedStore()
            for place in [400, 500, 700, 1000, 4000] {
                proxy.cut(after: place, .toClient)
                try other.open(at: proxy.address).close()
            }
        }

        /// A statement that takes longer than an administrator allows says so.
        @Test func aStatementThatTakesTooLongIsAnErrorOfItsOwn() throws {
            let store = try SharedStore()
            let address = try address(store, "SET bytea_output = hex")
            let backend = try store.open(at: address, beats: false)
            let table = try backend.makeTable(.record, "Song")
            let role = "role-\(store.name)"
            func set(_ timeout: String) throws {
                try store.run(
                    "ALTER ROLE \"\(role)\" SET statement_timeout = \(timeout)",
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '\(role)'"
                )
            }
            try set("50")
            let value = [UInt8](repeating: 1, count: 20_000_000)
            #expect {
                try backend.commit { try $0.put(value, at: 2, in: table) }
            } throws: {
                "\($0)".contains("statement timeout")
            }
            try set("0")
            #expect(try backend.value(of: 2, in: table) == nil)
            try backend.commit { try $0.put([1], at: 2, in: table) }
            #expect(try backend.lastCommit() == 2)
        }

        /// A database may have letters of one part of the world alone.
        @Test func aNameThatTheDatabaseCannotHoldIsAnError() throws {
            let store = try SharedStore()
            let database = store.name.lowercased()
            try store.server.run(
                "CREATE DATABASE \"\(database)\" TEMPLATE template0 ENCODING 'LATIN1' "
                    + "LC_COLLATE 'C' LC_CTYPE 'C'", [])
            let address = store.server.address().replacing("/postgres", with: "/" + database)
            let backend = try store.open(at: address)
            #expect {
                try backend.claimWork("указатели")
            } throws: { error in
                guard case BackendError.engine("PostgreSQL", _) = error else { return false }
                return true
            }
            let table = try backend.makeTable(.record, "Song")
            try backend.commit { try $0.put([1], at: 2, in: table) }
            let other = try store.open(at: address)
            #expect(try other.tables().map(\.name) == ["Song"])
            #expect(try other.value(of: 2, in: table) == [1])
        }

        /// On a real disk that is really full: the server's tables are there, its log elsewhere.
        @Test(.enabled(if: SmallDisk.isPossible, "No file system may be mounted here."))
        func aFullDiskOfTheServerFailsTheSaveAndNothingElse() throws {
            let store = try SharedStore()
            let disk = try #require(SmallDisk(size: 8 << 20))
            let (space, ballast) = ("space-\(store.name)", disk.path + "/ballast")
            try FileManager.default.createDirectory(
                atPath: disk.path + "/space", withIntermediateDirectories: false)
            let user = try #require(getpwuid(try owner(of: store.server.directory)))
            #expect(chown(disk.path + "/space", user.pointee.pw_uid, user.pointee.pw_gid) == 0)
            try Data(count: 2 << 20).write(to: URL(filePath: ballast))
            try store.server.run(
                "CREATE TABLESPACE \"\(space)\" LOCATION '\(disk.path)/space'", [])
            let address = try address(store, "SET default_tablespace = '\(space)'")
            try store.server.run("GRANT CREATE ON TABLESPACE \"\(space)\" TO PUBLIC", [])
            defer {
                _ = try? store.server.run(
                    "DROP SCHEMA \"cabinet_\(store.name)\" CASCADE",
                    ["DROP TABLESPACE \"\(space)\""])
            }
            let backend = try store.open(at: address, beats: false)
            let table = try backend.makeTable(.record, "Song")
            var made = 0
            func add() throws {
                // Of bytes that do not become fewer.
                var random = SeededRandom(seed: UInt64(made))
                let value = (0..<100_000).map { _ in UInt8(random.below(256)) }
                try backend.commit { try $0.put(value, at: RowID(UInt32(2 + made)), in: table) }
                made += 1
            }
            #expect {
                while made < 200 { try add() }
            } throws: { error in
                guard case BackendError.diskFull(backend.location, _) = error else { return false }
                return true
            }
            #expect(made > 5)
            #expect(try backend.count(of: table) == made && backend.rows(of: table).count == made)
            #expect(try backend.lastCommit().rawValue == UInt64(made + 1))
            try FileManager.default.removeItem(atPath: ballast)
            try add()
            let other = try store.open(at: address)
            #expect(try other.count(of: table) == made)
            try other.close()
            try backend.close()
        }

        /// Of several hosts, each one is named.
        @Test func theLocationNamesEachHost() throws {
            let store = try SharedStore()
            let both = store.server.addressOfBoth
            let backend = try PostgresBackend(both + "&store=" + store.name)
            let hosts = both.split(separator: "@")[1].split(separator: "/postgres")[0]
            #expect(
                backend.location
                    == "postgresql://cabinet@\(hosts)/postgres?store=\(store.name)")
            #expect {
                try PostgresBackend(
                    "postgresql://x@[::1]:1,127.0.0.1:2/y?store=z", patience: .zero)
            } throws: {
                "\($0)".contains("postgresql://x@[::1]:1,127.0.0.1:2/y?store=z")
            }
        }
    }
#endif
