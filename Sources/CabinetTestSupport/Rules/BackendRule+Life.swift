import CabinetBackend

extension BackendRule {
    /// From opening to closing.
    static let life: [BackendRule] = [
        BackendRule("a new store holds nothing") { bench in
            try bench.expectEqual(bench.backend.tables(), [], "tables")
            try bench.expectEqual(bench.backend.count(of: .namedBuffers), 0, "named buffers")
            try bench.expectEqual(bench.backend.keys(in: .namedBuffers).count, 0, "names")
            try bench.expectEqual(bench.backend.access, .readWrite, "access")
            try bench.expect(!bench.backend.location.isEmpty, "the store has no location")
        },
        BackendRule("two stores have two numbers, neither of them 0") { bench in
            let other = try Bench(bench.engine)
            defer { other.leave() }
            for bench in [bench, other] {
                let table = try bench.makeTable()
                let number = bench.backend.identity
                try bench.expect(number != 0, "a store with a commit has the number 0")
                try bench.commit { try $0.put([1], at: 2, in: table) }
                try bench.expectEqual(bench.backend.identity, number, "the number later")
            }
            try bench.expect(
                bench.backend.identity != other.backend.identity, "both stores have one number")
        },
        BackendRule("after closing every call says so") { bench in
            let table = try bench.makeTable()
            let index = try bench.makeTable(.ordered, "Index")
            try bench.commit { try $0.put([1], at: 2, in: table) }
            let rows = try bench.backend.records(in: table)
            let keys = try bench.backend.entries(
                in: index, range: .everything, descending: false)
            let written = bench.backend.makeBatch()
            try written.put([1], at: 3, in: table)
            let backend = bench.backend
            let buffer = DataBuffer()
            try backend.close()

            func expectClosed(_ call: String, _ body: () throws -> Void) throws {
                try bench.expectError(.closed, call, body)
            }
            try expectClosed("tables") { _ = try backend.tables() }
            try expectClosed("reserveTable") { _ = try backend.reserveTable() }
            try expectClosed("reserveRows") { _ = try backend.reserveRows(1, in: table) }
            try expectClosed("count") { _ = try backend.count(of: table) }
            try expectClosed("value of a row") {
                _ = try backend.value(of: 2, in: table, into: buffer)
            }
            try expectClosed("value of a key") {
                _ = try backend.value(forKey: [1], in: index, into: buffer)
            }
            try expectClosed("records") { _ = try backend.records(in: table) }
            try expectClosed("entries") {
                _ = try backend.entries(in: index, range: .everything, descending: true)
            }
            try expectClosed("next row") { _ = try rows.next(RecordRun()) }
            try expectClosed("next key") { _ = try keys.next(EntryRun()) }
            try expectClosed("commit") { try backend.commit(written) }
            try expectClosed("commit of a new batch") {
                let batch = backend.makeBatch()
                try batch.put([1], at: 4, in: table)
                try backend.commit(batch)
            }
            try expectClosed("sync") { try backend.sync() }
        },
        BackendRule("a batch that is being written when the store closes is refused") { bench in
            let table = try bench.makeTable()
            let batch = bench.backend.makeBatch()
            try batch.put([1], at: 2, in: table)
            try bench.backend.close()
            try bench.expectError(.closed, "going on with it") {
                let large = [UInt8](repeating: 1, count: 1 << 20)
                for row in 3...40 as ClosedRange<RowID> { try batch.put(large, at: row, in: table) }
            }
            bench.backend.discard(batch)
        },
        BackendRule("closing again does nothing") { bench in
            try bench.backend.close()
            try bench.backend.close()
        },
        BackendRule("sync may be called at any time") { bench in
            try bench.backend.sync()
            let table = try bench.makeTable()
            let batch = bench.backend.makeBatch()
            try batch.put([1], at: 2, in: table)
            try bench.backend.sync()
            try bench.backend.commit(batch)
            try bench.backend.sync()
            try bench.backend.sync()
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [1], "row 2")
        },
    ]
}
