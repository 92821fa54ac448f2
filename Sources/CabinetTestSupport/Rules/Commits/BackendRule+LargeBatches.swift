import CabinetBackend

extension BackendRule {
    /// Batches whose full chunks were handed over before the commit.
    static let largeBatches: [BackendRule] = [
        BackendRule("a batch of many chunks is one commit") { bench in
            let table = try bench.makeTable()
            let before = try bench.commit { _ in }
            let batch = bench.backend.makeBatch()
            try fill(batch, table, chunks: 3)
            try bench.expect(batch.stagedChunks >= 2, "no chunk was handed over")
            try bench.expectEqual(bench.backend.count(of: table), 0, "count before the commit")
            let number = try bench.backend.commit(batch)
            try bench.expect(number > before, "\(number) came after \(before)")
            try bench.expectEqual(bench.backend.count(of: table), 3 * rowsInChunk, "count")
            for (row, value) in try bench.backend.rows(in: table) {
                try bench.expect(areSame(value, large(row)), "row \(row) came back changed")
            }
        },
        BackendRule("a committed batch that was emptied serves the next commits") { bench in
            let table = try bench.makeTable()
            let batch = bench.backend.makeBatch()
            try fill(batch, table, chunks: 2)
            var last = try bench.backend.commit(batch)
            // What the batch held is not made once more.
            try bench.commit { try $0.deleteRow(3, in: table) }
            for value in 1...3 as ClosedRange<UInt8> {
                batch.removeAll()
                try bench.expect(batch.isEmpty, "it was not empty")
                try batch.put([value], at: 2, in: table)
                let number = try bench.backend.commit(batch)
                try bench.expect(number > last, "\(number) came after \(last)")
                last = number
                try bench.expectEqual(bench.backend.value(of: 2, in: table), [value], "row 2")
            }
            try bench.expectEqual(bench.backend.count(of: table), 2 * rowsInChunk - 1, "count")
            batch.removeAll()
            try fill(batch, table, chunks: 3)
            try bench.backend.commit(batch)
            try bench.expectEqual(bench.backend.count(of: table), 3 * rowsInChunk, "count again")
        },
        BackendRule("a batch discarded half-way changes nothing") { bench in
            let table = try bench.makeTable()
            let batch = bench.backend.makeBatch()
            try fill(batch, table, chunks: 2)
            bench.backend.discard(batch)
            try bench.expectEqual(bench.backend.count(of: table), 0, "count after discarding")
            try bench.commit { try $0.put([1], at: 2, in: table) }
            try bench.expectEqual(bench.backend.count(of: table), 1, "count after the next")
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [1], "row 2")
        },
        BackendRule("a batch of many chunks that fails at its end changes nothing") { bench in
            let table = try bench.makeTable()
            let unknown = try bench.backend.reserveTable()
            try bench.commit { try $0.put([1], at: 2, in: table) }
            try bench.expectRefusal(.noTable(unknown), "an undefined table") { batch in
                try fill(batch, table, chunks: 2)
                try batch.put([1], at: 2, in: unknown)
            }
            try bench.expectEqual(bench.backend.count(of: table), 1, "count")
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [1], "row 2")
        },
        BackendRule("a table defined in a batch's first chunk serves its last") { bench in
            let table = try bench.backend.reserveTable()
            try bench.commit { batch in
                try batch.define(TableDefinition(number: table, kind: .record, name: "Song"))
                try fill(batch, table, chunks: 2)
            }
            try bench.expectEqual(bench.backend.count(of: table), 2 * rowsInChunk, "count")
        },
        BackendRule("what is done meanwhile is done once, and only if there is a commit") { bench in
            let table = try bench.backend.reserveTable()
            let unknown = try bench.backend.reserveTable()
            var calls = 0
            func commit(_ body: (WriteBatch) throws -> Void) throws -> CommitNumber {
                let batch = bench.backend.makeBatch()
                try body(batch)
                return try bench.backend.commit(batch) { calls += 1 }
            }
            try bench.expectError(.noTable(unknown), "an undefined table") {
                _ = try commit { try $0.put([1], at: 2, in: unknown) }
            }
            try bench.expectEqual(calls, 0, "calls without a commit")
            // An engine may fill a new table ahead, and be behind when the commit is certain.
            let number = try commit { batch in
                batch.expect(3 * rowsInChunk, in: table)
                try batch.define(TableDefinition(number: table, kind: .record, name: "Song"))
                try fill(batch, table, chunks: 3)
            }
            try bench.expectEqual(calls, 1, "calls for a large commit")
            try bench.expectEqual(bench.backend.count(of: table), 3 * rowsInChunk, "count")
            try bench.expectEqual(commit { _ in }, number, "the number of an empty batch")
            try bench.expectEqual(calls, 2, "calls for an empty batch")
        },
        BackendRule("a second half-written batch waits, is refused, or is kept apart") { bench in
            let table = try bench.makeTable()
            let one = bench.backend.makeBatch()
            try fill(one, table, chunks: 2)
            let other = bench.backend.makeBatch()
            var isRefused = false
            do {
                try fill(other, table, chunks: 2, from: 1_000_000)
            } catch BackendError.batchInProgress {
                isRefused = true
                bench.backend.discard(other)
            }
            try bench.backend.commit(one)
            if !isRefused { try bench.backend.commit(other) }
            try bench.expectEqual(
                bench.backend.count(of: table), (isRefused ? 2 : 4) * rowsInChunk, "count")
        },
        BackendRule("batches of many chunks on several threads all happen") { bench in
            let table = try bench.makeTable()
            let backend = bench.backend
            try inParallel(3) { index in
                let batch = backend.makeBatch()
                try fill(batch, table, chunks: 2, from: RowID(UInt32(index) * 1_000_000))
                try backend.commit(batch)
            }
            try bench.expectEqual(backend.count(of: table), 6 * rowsInChunk, "count")
        },
    ]

    /// Rows of 64 KiB each; 260 of them are more than a chunk.
    private static let rowsInChunk = 260

    private static func large(_ row: RowID) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: row.rawValue), count: 65_536)
    }

    private static func fill(
        _ batch: WriteBatch, _ table: TableNumber, chunks: Int, from first: RowID = 2
    ) throws {
        for row in first..<first.advanced(by: chunks * rowsInChunk) {
            try batch.put(large(row), at: row, in: table)
        }
    }
}
