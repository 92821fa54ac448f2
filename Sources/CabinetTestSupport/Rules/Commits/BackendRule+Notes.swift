import CabinetBackend

extension BackendRule {
    /// What a batch says of itself leaves its changes as they are.
    static let notes: [BackendRule] = [
        BackendRule("notes among the changes of a batch change no table") { bench in
            let table = try bench.makeTable()
            let index = try bench.makeTable(.ordered, "Song.1")
            try bench.commit { try $0.put([1], at: 2, in: table) }
            try bench.commit { batch in
                batch.author = 7
                try batch.note(1, [1, 2, 3])
                try batch.put([2], at: 2, in: table)
                try batch.note(255, [])
                try batch.put([3], at: 3, in: table)
                try batch.put([4], for: [4], in: index)
                try batch.note(0, Array(repeating: 9, count: WriteBatch.noteLimit))
                try batch.deleteRow(3, in: table)
            }
            try bench.expectEqual(bench.backend.rows(in: table).map(\.row), [2], "rows")
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [2], "row 2")
            try bench.expectEqual(bench.backend.keys(in: index).map(\.value), [[4]], "the index")
            try bench.expectEqual(bench.backend.count(of: table), 1, "count")
        },
        BackendRule("a batch of notes alone is a commit of its own") { bench in
            let table = try bench.makeTable()
            let before = try bench.commit { try $0.put([1], at: 2, in: table) }
            let number = try bench.commit { batch in
                batch.author = .max
                try batch.note(4, [1])
            }
            try bench.expect(number > before, "\(number) came after \(before)")
            try bench.expectEqual(
                bench.commit { $0.author = 3 }, number, "the number of an empty batch")
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [1], "row 2")
            let after = try bench.commit { try $0.put([2], at: 2, in: table) }
            try bench.expect(after > number, "\(after) came after \(number)")
        },
        BackendRule("a first commit may hold notes alone") { bench in
            let number = try bench.commit { try $0.note(1, [1]) }
            try bench.expect(number > 0, "the number is \(number)")
            try bench.expectEqual(bench.backend.tables(), [], "tables")
            let table = try bench.makeTable()
            try bench.commit { try $0.put([1], at: 2, in: table) }
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [1], "row 2")
        },
        BackendRule("notes in every chunk of a batch leave it one commit") { bench in
            let table = try bench.makeTable()
            let before = try bench.commit { try $0.put([1], at: 2, in: table) }
            let number = try bench.commit { batch in
                for row in 2..<66 as Range<RowID> {
                    try batch.put(
                        [UInt8](repeating: UInt8(row.rawValue), count: 60_000), at: row, in: table)
                    try batch.note(UInt8(row.rawValue), [UInt8](repeating: 1, count: 100))
                }
            }
            try bench.expectEqual(number, before.next, "the number")
            for row in 2..<66 as Range<RowID> {
                let value = try bench.backend.value(of: row, in: table)
                try bench.expect(
                    value == [UInt8](repeating: UInt8(row.rawValue), count: 60_000),
                    "row \(row) differs")
            }
            try bench.expectEqual(bench.backend.count(of: table), 64, "count")
        },
    ]
}
