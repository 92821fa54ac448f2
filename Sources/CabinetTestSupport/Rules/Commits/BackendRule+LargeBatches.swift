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
        BackendRule("runs come among others", needs: .snapshots) { bench in
            let (table, index) = (try bench.makeTable(), try bench.makeTable(.ordered, "Index"))
            var numbers = SeededNumbers(3)
            var model: [RowID: [UInt8]] = [:]
            var frozen: [(reader: any BackendReader, model: [RowID: [UInt8]])] = []
            for step in 0..<12 as Range<UInt8> {
                // Beside each other, one upon the other, and one between the others.
                let gap = Int.random(in: 1...3, using: &numbers)
                let first = RowID(UInt32.random(in: 2..<9000, using: &numbers))
                var rows = (0..<1200).map { first.advanced(by: $0 * gap) }
                if step % 3 == 2 { rows.swapAt(7, Int.random(in: 0..<1200, using: &numbers)) }
                if step % 4 == 3 { rows[1199] = rows[Int.random(in: 0..<1200, using: &numbers)] }
                frozen.append((try bench.backend.snapshot(), model))
                try bench.commit { batch in
                    for (turn, row) in rows.enumerated() {
                        let value = [step, UInt8(truncatingIfNeeded: turn)]
                        model[row] = value
                        try batch.put(value, at: row, in: table)
                        try batch.put(value, for: key(row), in: index)
                    }
                }
                try bench.expectEqual(bench.backend.count(of: table), model.count, "rows")
                try bench.expectEqual(bench.backend.count(of: index), model.count, "keys")
            }
            frozen.append((try bench.backend.snapshot(), model))
            for (step, (reader, model)) in frozen.enumerated() {
                let wanted = model.sorted { $0.key < $1.key }
                let rows = try reader.rows(in: table).sorted { $0.row < $1.row }
                let keys = try reader.keys(in: index)
                try bench.expect(rows.map(\.row) == wanted.map(\.key), "rows of step \(step)")
                try bench.expect(rows.map(\.value) == wanted.map(\.value), "values of step \(step)")
                try bench.expect(keys.map(\.key) == wanted.map { key($0.key) }, "keys of \(step)")
                try bench.expect(keys.map(\.value) == wanted.map(\.value), "values of keys")
            }
        },
    ]

    private static func key(_ row: RowID) -> [UInt8] {
        withUnsafeBytes(of: row.rawValue.bigEndian) { Array($0) }
    }

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
