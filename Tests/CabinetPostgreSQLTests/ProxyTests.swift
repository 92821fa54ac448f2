#if PostgreSQL
    import CabinetBackend
    import CabinetPostgreSQL
    import Testing

    /// What becomes of connections that are cut, and how often the server is asked.
    @Suite(.enabled(if: PostgresServer.isInstalled))
    struct ProxyTests {
        /// Cut at each byte of a commit, on the way there or back, the commit is made once.
        @Test(arguments: PostgresProxy.Direction.allCases)
        func aConnectionThatIsCutAtAnyByteLosesNothing(_ direction: PostgresProxy.Direction) throws
        {
            let store = try SharedStore()
            let proxy = try PostgresProxy(before: store.server)
            let backend = try store.open(at: proxy.address, beats: false)
            let table = try backend.makeTable(.record, "Song")
            func commit(_ value: Int) throws -> CommitNumber {
                try backend.commit { batch in
                    batch.basis = try backend.lastCommit()
                    try batch.put([UInt8(value & 255), UInt8(value >> 8)], at: 2, in: table)
                }
            }
            let size = try proxy.count { _ = try commit(0) }.bytes[direction] ?? 0
            #expect(size > 100)
            var last = try backend.lastCommit()
            var cuts = 0
            for bytes in stride(from: 0, to: size, by: 3) {
                proxy.cut(after: bytes, direction)
                let number = try commit(bytes)
                cuts += proxy.hasCut ? 1 : 0
                proxy.takeBackCuts()
                #expect(number == last.next, "cut after \(bytes) bytes")
                #expect(
                    try backend.value(of: 2, in: table) == [UInt8(bytes & 255), UInt8(bytes >> 8)])
                last = number
            }
            #expect(cuts > size / 4)
            let other = try store.open()
            #expect(try other.lastCommit() == last)
            let cursor = try other.changes(after: 0)
            var numbers: [CommitNumber] = []
            while let commit = try cursor.next() { numbers.append(commit.number) }
            #expect(numbers == Array(1...last))
        }

        @Test func whatIsNotKnownIsAskedUntilItIs() throws {
            let store = try SharedStore()
            let proxy = try PostgresProxy(before: store.server)
            let backend = try store.open(
                at: proxy.address, beats: false, patience: .milliseconds(50))
            let table = try backend.makeTable(.record, "Song")
            let (_, bytes) = try proxy.count {
                _ = try backend.commit { try $0.put([1], at: 2, in: table) }
            }
            for isMade in [true, false] {
                let last = try backend.lastCommit()
                proxy.cut(
                    after: isMade ? 0 : (bytes[.toServer] ?? 0) / 2, isMade ? .toClient : .toServer)
                proxy.refuse(true)
                var token: UInt64 = 0
                do {
                    _ = try backend.commit { try $0.put([isMade ? 2 : 3], at: 2, in: table) }
                } catch BackendError.outcomeUnknown(let given) { token = given }
                #expect(throws: BackendError.outcomeUnknown(token: token)) {
                    try backend.outcome(of: token)
                }
                proxy.refuse(false)
                let outcome = try backend.outcome(of: token)
                #expect(outcome == (isMade ? .committed(last.next) : .notCommitted))
                #expect(try backend.lastCommit() == (isMade ? last.next : last))
                #expect(try backend.value(of: 2, in: table) == [2])
            }
        }
    }
#endif
