#if PostgreSQL
    import CabinetBackend
    import CabinetPostgreSQL
    import CabinetTestSupport
    import Dispatch
    import Testing
    import TrustSupport

    /// What becomes of connections that are cut, and how many there are.
    @Suite(.enabled(if: PostgresServer.isInstalled))
    struct ProxyTests {
        /// Cut at each byte of a commit, on the way there or back, the commit is made once. In three days it is
        /// the turn of each byte.
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
            // The first one reads the tables before.
            _ = try commit(0)
            let size = try proxy.count { _ = try commit(0) }.bytes[direction] ?? 0
            #expect(size > 100)
            var last = try backend.lastCommit()
            var cuts = 0
            let step = RunSetting.share == 1 ? 1 : 3
            for bytes in stride(from: Int(RunSetting.seed % UInt64(step)), to: size, by: step) {
                proxy.cut(after: bytes, direction)
                let number = try commit(bytes)
                cuts += proxy.hasCut ? 1 : 0
                proxy.takeBackCuts()
                #expect(number == last.next, "cut after \(bytes) bytes")
                #expect(
                    try backend.value(of: 2, in: table) == [UInt8(bytes & 255), UInt8(bytes >> 8)])
                last = number
            }
            #expect(cuts > size / step - 10)
            let other = try store.open()
            #expect(try other.lastCommit() == last)
            let cursor = try other.changes(after: 0)
            var numbers: [CommitNumber] = []
            while let commit = try cursor.next() { numbers.append(commit.number) }
            #expect(numbers == Array(1...last))
        }

        /// However many chunks it has, an import takes three ways; cut anywhere, it is made once.
        @Test func aLargeBatchStreamsAndIsMadeOnce() throws {
            let store = try SharedStore()
            let proxy = try PostgresProxy(before: store.server)
            let backend = try store.open(at: proxy.address, beats: false)
            let table = try backend.makeTable(.record, "Song")
            let index = try backend.makeTable(.ordered, "Index")
            func commit(_ value: UInt8) throws -> CommitNumber {
                try backend.commit { batch in
                    for row in 2..<42 as Range<RowID> {
                        let bytes = [UInt8](repeating: value &+ UInt8(row.rawValue), count: 100_000)
                        try batch.put(bytes, at: row, in: table)
                        try batch.put([value], for: [UInt8(row.rawValue), 0], in: index)
                    }
                }
            }
            var last = try backend.lastCommit()
            let (ways, bytes) = try proxy.count { last = try commit(0) }
            let size = bytes[.toServer] ?? 0
            #expect(ways == 3 && size > 4_000_000)
            for (step, place) in [0, size / 3, size * 9 / 10, size - 50].enumerated() {
                proxy.cut(after: place, .toServer)
                #expect(try commit(UInt8(step + 1)) == last.next)
                #expect(proxy.hasCut)
                last = last.next
            }
            for row in [2, 20, 41] as [RowID] {
                let value = try #require(try backend.value(of: row, in: table))
                #expect(value == [UInt8](repeating: 4 + UInt8(row.rawValue), count: 100_000))
            }
            #expect(try backend.value(forKey: [41, 0], in: index) == [4])
            #expect(try backend.count(of: table) == 40 && backend.count(of: index) == 40)
            let cursor = try backend.changes(after: last.previous)
            var rows = 0
            try cursor.next()?.forEachOperation { if case .putRow = $0 { rows += 1 } }
            #expect(rows == 40)
        }

        /// Threads that find all connections in use wait for one another.
        @Test func noMoreConnectionsAreMadeThanAreAllowed() throws {
            let store = try SharedStore()
            let proxy = try PostgresProxy(before: store.server)
            let backend = try store.open(at: proxy.address, beats: false, connections: 2)
            let table = try backend.makeTable(.record, "Song")
            let failures = Guarded<[any Error]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                do {
                    for step in 0..<8 {
                        let row = RowID(UInt32(2 + thread * 8 + step))
                        try backend.commit { try $0.put([UInt8(thread)], at: row, in: table) }
                        let read = try backend.value(of: row, in: table)
                        if read != [UInt8(thread)] { throw BackendError.closed }
                    }
                } catch {
                    failures.withLock { $0.append(error) }
                }
            }
            #expect(failures.withLock { $0.isEmpty })
            #expect(try backend.count(of: table) == 64)
            #expect(proxy.connections <= 2)
            try backend.close()
        }

        /// Where the only connection is in use for longer than patience lasts, the store is busy.
        @Test func whoFindsNoConnectionThrowsBusy() throws {
            let store = try SharedStore()
            let proxy = try PostgresProxy(before: store.server)
            let backend = try store.open(
                at: proxy.address, beats: false, connections: 1, patience: .milliseconds(20))
            let table = try backend.makeTable(.record, "Song")
            proxy.delay(200)
            let failures = Guarded<[BackendError]>([])
            // Unless one thread begins when the other has its answer.
            for _ in 0..<20 where failures.withLock({ $0.isEmpty }) {
                DispatchQueue.concurrentPerform(iterations: 2) { _ in
                    do throws(BackendError) {
                        _ = try backend.presentRows(among: [2], in: table)
                    } catch {
                        failures.withLock { $0.append(error) }
                    }
                }
            }
            #expect(
                failures.withLock { $0 } == [.busy(path: backend.location, holder: "")])
            proxy.delay(0)
            #expect(try backend.presentRows(among: [2], in: table).isEmpty)
        }

        /// As one at which the server runs out of memory each time.
        @Test func aCommitThatIsCutAgainAndAgainIsGivenUp() throws {
            let store = try SharedStore()
            let proxy = try PostgresProxy(before: store.server)
            let backend = try store.open(at: proxy.address, beats: false)
            let table = try backend.makeTable(.record, "Song")
            let value = [UInt8](repeating: 1, count: 100_000)
            proxy.cut(after: 50_000, .toServer, again: true)
            #expect {
                try backend.commit { try $0.put(value, at: 2, in: table) }
            } throws: { error in
                guard case BackendError.engine("PostgreSQL", let reason) = error else {
                    return false
                }
                return reason.contains("cannot be reached")
            }
            proxy.takeBackCuts()
            #expect(try backend.value(of: 2, in: table) == nil)
            #expect(try backend.commit { try $0.put(value, at: 2, in: table) } == 2)
            #expect(try backend.value(of: 2, in: table) == value)
        }

        @Test func whatIsNotKnownIsAskedUntilItIs() throws {
            let store = try SharedStore()
            let proxy = try PostgresProxy(before: store.server)
            let backend = try store.open(
                at: proxy.address, beats: false, patience: .milliseconds(50))
            let table = try backend.makeTable(.record, "Song")
            try backend.commit { try $0.put([1], at: 2, in: table) }
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

        /// What a server gets after it was settled that it was not made is not made.
        @Test func aCommitThatComesTooLateIsNotMade() throws {
            let store = try SharedStore()
            let proxy = try PostgresProxy(before: store.server)
            let backend = try store.open(at: proxy.address, beats: false)
            let table = try backend.makeTable(.record, "Song")
            proxy.holdNext()
            // Made once more, in a later epoch.
            let number = try backend.commit { try $0.put([1], at: 2, in: table) }
            try backend.commit { try $0.put([2], at: 2, in: table) }
            proxy.releaseHeld()
            let other = try store.open()
            #expect(try other.lastCommit() == number.next)
            #expect(try other.value(of: 2, in: table) == [2])
            #expect(try store.run("SELECT epoch FROM writers") == ["1"])
        }

        /// Who has much to catch up with reads many commits at a time, as much as there is and in order.
        @Test func theFeedIsReadManyCommitsAtATime() throws {
            let store = try SharedStore()
            let proxy = try PostgresProxy(before: store.server)
            let (one, two) = (try store.open(), try store.open(at: proxy.address, beats: false))
            let table = try one.makeTable(.record, "Song")
            func fill(_ sizes: [Int]) throws {
                for size in sizes {
                    let value = [UInt8](repeating: 7, count: size)
                    try one.commit { try $0.put(value, at: 2, in: table) }
                }
            }
            var random = SeededRandom(seed: RunSetting.seed)
            try fill((0..<200).map { _ in random.below(100) })
            try fill([70_000, 1, 3_000_000, 2, 30_000, 30_000, 30_000])
            var sizes: [Int] = []
            let (ways, _) = try proxy.count {
                try two.refresh()
                let cursor = try two.changes(after: 0)
                while let commit = try cursor.next() {
                    #expect(commit.number.rawValue == UInt64(sizes.count + 1))
                    sizes.append(commit.size)
                }
                #expect(try cursor.next() == nil)
            }
            #expect(sizes.count == 208 && ways <= 8)
            // A commit of many bytes is read in its parts.
            let large = try #require(try two.changes(after: 203).next())
            var size = 0
            let parts = try proxy.count {
                try large.forEachOperation {
                    if case .putRow(_, _, let value) = $0 { size += value.count }
                }
            }
            #expect(size > 3_000_000 && parts.ways <= 4)
            let cursor = try one.changes(after: 0)
            for size in sizes { #expect(try cursor.next()?.size == size) }
            for basis in [0, 1, 63, 64, 65, 150, 203, 207] as [CommitNumber] {
                #expect(try two.changes(after: basis).next()?.number == basis.next)
            }
            #expect(throws: BackendError.self) { try two.changes(after: 209) }
        }
    }
#endif
