import CabinetBackend

extension BackendRule {
    /// A batch happens wholly or not at all.
    static let batches: [BackendRule] = [
        BackendRule("a batch changes many tables at once") { bench in
            let songs = try bench.makeTable(.record, "Song")
            let lists = try bench.makeTable(.record, "Playlist")
            let index = try bench.makeTable(.ordered, "Song.1")
            try bench.commit { batch in
                try batch.put([1], at: 2, in: songs)
                try batch.put([2], at: 2, in: lists)
                try batch.put([3], for: [1], in: index)
                try batch.put([4], for: [2], in: .namedBuffers)
                try batch.put([5], for: [3], in: .catalog)
            }
            try bench.expectEqual(bench.backend.value(of: 2, in: songs), [1], "songs")
            try bench.expectEqual(bench.backend.value(of: 2, in: lists), [2], "lists")
            try bench.expectEqual(bench.backend.value(forKey: [1], in: index), [3], "index")
            try bench.expectEqual(
                bench.backend.value(forKey: [2], in: .namedBuffers), [4], "named buffers")
            try bench.expectEqual(bench.backend.value(forKey: [3], in: .catalog), [5], "catalog")
        },
        BackendRule("a batch that cannot be applied changes nothing") { bench in
            let songs = try bench.makeTable(.record, "Song")
            let index = try bench.makeTable(.ordered, "Song.1")
            try bench.commit { batch in
                try batch.put([1], at: 2, in: songs)
                try batch.put([1], for: [1], in: index)
                try batch.put([1], for: [1], in: .namedBuffers)
            }
            let unknown = try bench.backend.reserveTable()
            try bench.expectRefusal(.noTable(unknown), "a row for an undefined table") { batch in
                try batch.put([2], at: 2, in: songs)
                try batch.put([2], at: 3, in: songs)
                try batch.deleteKey([1], in: index)
                try batch.put([2], for: [2], in: index)
                try batch.put([2], for: [1], in: .namedBuffers)
                try batch.put([2], at: 2, in: unknown)
            }
            try bench.expectEqual(bench.backend.value(of: 2, in: songs), [1], "a row")
            try bench.expectEqual(bench.backend.count(of: songs), 1, "count of rows")
            try bench.expectEqual(
                bench.backend.keys(in: index).map(\.key), [[1]], "keys of the index")
            try bench.expectEqual(
                bench.backend.value(forKey: [1], in: .namedBuffers), [1], "a named buffer")
        },
        BackendRule("a refused batch does not stop the next one") { bench in
            let songs = try bench.makeTable(.record, "Song")
            let unknown = try bench.backend.reserveTable()
            try bench.expectRefusal(.noTable(unknown), "a row for an undefined table") { batch in
                try batch.put([2], at: 2, in: unknown)
            }
            try bench.commit { try $0.put([3], at: 2, in: songs) }
            try bench.expectEqual(bench.backend.value(of: 2, in: songs), [3], "a row")
        },
        BackendRule("an empty batch changes nothing and gives the last commit's number") { bench in
            let none = try bench.commit { _ in }
            try bench.expectEqual(none, 0, "the number before the first commit")
            let table = try bench.makeTable()
            let last = try bench.commit { try $0.put([1], at: 2, in: table) }
            try bench.expectEqual(bench.commit { _ in }, last, "the number")
            try bench.expectEqual(bench.backend.count(of: table), 1, "count")
        },
        BackendRule("commit numbers grow") { bench in
            let table = try bench.makeTable()
            var last: CommitNumber = 0
            for row in 2...20 as ClosedRange<RowID> {
                let number = try bench.commit { try $0.put([1], at: row, in: table) }
                try bench.expect(number > last, "\(number) came after \(last)")
                last = number
            }
        },
        BackendRule("a discarded batch changes nothing") { bench in
            let table = try bench.makeTable()
            try bench.commit { try $0.put([1], at: 2, in: table) }
            let batch = bench.backend.makeBatch()
            try batch.put([2], at: 2, in: table)
            try batch.put([2], at: 3, in: table)
            bench.backend.discard(batch)
            try bench.commit { try $0.put([4], at: 4, in: table) }
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [1], "row 2")
            try bench.expectEqual(bench.backend.value(of: 3, in: table), nil, "row 3")
            try bench.expectEqual(bench.backend.count(of: table), 2, "count")
        },
        BackendRule("a batch is not seen before it is committed") { bench in
            let table = try bench.makeTable()
            let batch = bench.backend.makeBatch()
            try batch.put([2], at: 2, in: table)
            try bench.expectEqual(bench.backend.value(of: 2, in: table), nil, "row 2 before")
            try bench.expectEqual(bench.backend.count(of: table), 0, "count before")
            try bench.backend.commit(batch)
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [2], "row 2 after")
        },
        BackendRule("a cancelled record leaves no trace") { bench in
            let table = try bench.makeTable()
            try bench.commit { batch in
                try batch.put([1], at: 2, in: table)
                batch.beginRecord(3, in: table).writeString("never mind")
                batch.cancelRecord()
                try batch.put([4], at: 4, in: table)
                batch.beginRecord(2, in: table).writeString("never mind")
                batch.cancelRecord()
            }
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [1], "row 2")
            try bench.expectEqual(bench.backend.value(of: 3, in: table), nil, "row 3")
            try bench.expectEqual(bench.backend.value(of: 4, in: table), [4], "row 4")
            try bench.expectEqual(bench.backend.count(of: table), 2, "count")
            try bench.expect(
                bench.backend.reserveRows(1, in: table).lowerBound == 5,
                "a cancelled row was counted")
        },
        BackendRule("two batches may be written at the same time") { bench in
            let table = try bench.makeTable()
            let one = bench.backend.makeBatch()
            let other = bench.backend.makeBatch()
            try one.put([1], at: 2, in: table)
            try other.put([2], at: 2, in: table)
            try other.put([2], at: 3, in: table)
            try one.put([1], at: 4, in: table)
            try bench.backend.commit(other)
            try bench.backend.commit(one)
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [1], "row 2")
            try bench.expectEqual(bench.backend.value(of: 3, in: table), [2], "row 3")
            try bench.expectEqual(bench.backend.value(of: 4, in: table), [1], "row 4")
        },
    ]
}
