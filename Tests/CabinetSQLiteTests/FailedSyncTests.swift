#if SQLite
    import CLibrary
    import CabinetBackend
    import CabinetSQLite
    import CabinetTestSupport
    import Foundation
    import Testing

    /// A commit whose sync has failed is whole in SQLite's log, and would show after a crash.
    struct FailedSyncTests {
        private let file: SharedFile
        private let backend: SQLiteBackend
        private let table: TableNumber

        init() throws {
            FailingDisk.install()
            file = try SharedFile()
            backend = try file.open(durability: .full)
            table = try backend.makeTable(.record, "Song")
        }

        private func put(_ value: UInt8) throws {
            try backend.commit { try $0.put([value], at: 2, in: table) }
        }

        /// A program that opens the store after all others were killed now finds this.
        private func expectAfterACrash(_ value: [UInt8]?, last: CommitNumber) throws {
            let other = try SharedFile()
            for suffix in ["", "-wal"] where access(file.path + suffix, F_OK) == 0 {
                try FileManager.default.copyItem(
                    atPath: file.path + suffix, toPath: other.path + suffix)
            }
            let backend = try other.open(.readOnly)
            defer { try? backend.close() }
            #expect(try backend.value(of: 2, in: table) == value)
            #expect(try backend.lastCommit() == last)
        }

        @Test func aCommitWhoseSyncFailsDoesNotComeBack() throws {
            try put(1)
            FailingDisk.failSyncs(1, of: file.path)
            #expect {
                try put(2)
            } throws: { error in
                // It is known that it was not made.
                if case BackendError.outcomeUnknown = error { false } else { true }
            }
            #expect(try backend.value(of: 2, in: table) == [1])
            try expectAfterACrash([1], last: 2)
            try put(3)
            #expect(try backend.lastCommit() == 3)
            try expectAfterACrash([3], last: 3)
        }

        @Test(arguments: [2, 3, 4])
        func whatStaysUnknownIsSettledOnceTheDiskWorks(failures: Int) throws {
            try put(1)
            FailingDisk.failSyncs(failures, of: file.path)
            var token: UInt64 = 0
            do { try put(2) } catch BackendError.outcomeUnknown(let given) { token = given }
            #expect(token != 0)
            #expect(try backend.value(of: 2, in: table) == [1])
            for _ in 2..<failures {
                #expect(throws: BackendError.outcomeUnknown(token: token)) {
                    try backend.outcome(of: token)
                }
            }
            #expect(try backend.outcome(of: token) == .notCommitted)
            try expectAfterACrash([1], last: 2)
            #expect(try backend.outcome(of: token) == .notCommitted)
            try put(3)
            #expect(try backend.lastCommit() == 3)
        }

        @Test func anotherCommitSettlesIt() throws {
            FailingDisk.failSyncs(2, of: file.path)
            #expect(throws: BackendError.self) { try put(2) }
            try put(3)
            #expect(try backend.lastCommit() == 2)
            try expectAfterACrash([3], last: 2)
        }

        @Test func theEndSettlesIt() throws {
            FailingDisk.failSyncs(2, of: file.path)
            #expect(throws: BackendError.self) { try put(2) }
            try backend.close()
            try expectAfterACrash(nil, last: 1)
        }

        @Test func anothersCommitOfThatNumberIsNotTakenForIt() throws {
            let other = try file.open(durability: .full)
            FailingDisk.failSyncs(2, of: file.path)
            var token: UInt64 = 0
            do { try put(2) } catch BackendError.outcomeUnknown(let given) { token = given }
            try other.refresh()
            #expect(try other.commit { try $0.put([9], at: 2, in: table) } == 2)
            #expect(try backend.outcome(of: token) == .notCommitted)
            #expect(try backend.value(of: 2, in: table) == [9])
        }
    }
#endif
