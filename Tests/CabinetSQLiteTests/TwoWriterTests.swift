#if SQLite
    import CabinetBackend
    import CabinetSQLite
    import CabinetTestSupport
    import Dispatch
    import Testing

    /// Two backends over one file, as two processes have them.
    struct TwoWriterTests {
        @Test func readsAreOfWhatIsKnownUntilRefreshed() throws {
            let file = try SharedFile()
            let (one, two) = (try file.open(), try file.open())
            let table = try one.makeTable(.record, "Song")
            #expect(try two.lastCommit() == 0)
            #expect(try two.tables().isEmpty)
            try two.refresh()
            #expect(try two.tables().map(\.number) == [table])
            try one.commit { batch in
                for row in 2..<9 as Range<RowID> { try batch.put([1], at: row, in: table) }
            }
            try two.refresh()
            try one.commit { batch in
                try batch.put([2], at: 3, in: table)
                try batch.deleteRow(4, in: table)
                try batch.put([1], at: 20, in: table)
            }
            #expect(try two.value(of: 3, in: table) == [1])
            #expect(try two.count(of: table) == 7)
            #expect(try two.rows(of: table) == Array(2..<9))
            #expect(try two.refresh() == 3)
            #expect(try two.value(of: 3, in: table) == [2])
            #expect(try two.rows(of: table) == [2, 3, 5, 6, 7, 8, 20])
            // One's own commit takes up those before it.
            try one.commit { try $0.deleteRow(20, in: table) }
            let number = try two.commit { try $0.put([5], at: 21, in: table) }
            #expect(number == 5)
            #expect(try two.rows(of: table) == [2, 3, 5, 6, 7, 8, 21])
        }

        @Test func nothingIsLostWhenThreeAddToOneNumber() throws {
            let file = try SharedFile()
            let table = try file.open().makeTable(.record, "Song")
            try file.open().commit { try $0.put([0, 0], at: 2, in: table) }
            let backends = try (0..<3).map { _ in try file.open() }
            try inParallel(3) { index in
                let backend = backends[index]
                var step = 0
                while step < 40 {
                    try backend.refresh()
                    let reader = try backend.snapshot()
                    let read = try #require(try reader.value(of: 2, in: table))
                    let sum = Int(read[0]) + Int(read[1]) * 256 + 1
                    do {
                        try backend.commit { batch in
                            batch.basis = try reader.lastCommit()
                            try batch.put([UInt8(sum % 256), UInt8(sum / 256)], at: 2, in: table)
                        }
                        step += 1
                    } catch BackendError.conflict(let conflicts) {
                        #expect(conflicts == [.row(2, table: table)])
                    }
                }
            }
            let backend = try file.open()
            #expect(try backend.value(of: 2, in: table) == [120, 0])
            // Numbers have no gaps, and the feed has each commit.
            let cursor = try backend.changes(after: 0)
            var numbers: [CommitNumber] = []
            while let commit = try cursor.next() { numbers.append(commit.number) }
            #expect(numbers == Array(1...122))
        }

        /// Calls `body` on threads of their own, and throws what one of them throws.
        private func inParallel(
            _ count: Int, _ body: @Sendable (Int) throws -> Void
        ) throws {
            let failures = Guarded<[any Error]>([])
            DispatchQueue.concurrentPerform(iterations: count) { index in
                do { try body(index) } catch { failures.withLock { $0.append(error) } }
            }
            if let failure = failures.withLock({ $0.first }) { throw failure }
        }

        @Test func whoWaitsTooLongIsToldThatTheStoreIsBusy() throws {
            let file = try SharedFile()
            let one = try file.open()
            let table = try one.makeTable(.record, "Song")
            let two = try file.open(patience: .milliseconds(20))
            try two.refresh()
            try file.whileLocked { () throws -> Void in
                #expect(throws: BackendError.busy(path: file.path, holder: "")) {
                    try two.commit { try $0.put([1], at: 2, in: table) }
                }
                #expect(throws: BackendError.busy(path: file.path, holder: "")) {
                    try two.reserveRows(1, in: table)
                }
                let read = try two.value(of: 2, in: table)
                #expect(read == nil)
            }
            try two.commit { try $0.put([2], at: 2, in: table) }
            #expect(try two.value(of: 2, in: table) == [2])
        }
    }
#endif
