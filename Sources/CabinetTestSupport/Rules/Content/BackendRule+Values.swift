import CabinetBackend

extension BackendRule {
    /// What a value may be, and what reading does to a buffer.
    static let values: [BackendRule] = [
        BackendRule("an empty value is a value") { bench in
            let table = try bench.makeTable()
            try bench.commit { batch in
                try batch.put([], at: 2, in: table)
                try batch.put([], for: [7], in: .namedBuffers)
            }
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [], "row 2")
            try bench.expectEqual(bench.backend.count(of: table), 1, "count")
            try bench.expectEqual(bench.backend.rows(in: table).map(\.value), [[]], "walk")
            try bench.expectEqual(bench.backend.value(forKey: [7], in: .namedBuffers), [], "key")
        },
        BackendRule("a value of any size comes back byte for byte") { bench in
            let table = try bench.makeTable()
            let sizes = [
                1, 2, 3, 7, 127, 128, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 65_535, 65_536,
                1_000_000, 5_000_000,
            ]
            try bench.commit { batch in
                for (index, size) in sizes.enumerated() {
                    try batch.put(pattern(9, size), at: RowID(UInt32(index + 2)), in: table)
                }
            }
            for (index, size) in sizes.enumerated() {
                try bench.expect(
                    areSame(
                        bench.backend.value(of: RowID(UInt32(index + 2)), in: table),
                        pattern(9, size)),
                    "\(size) bytes came back changed")
            }
            let total = try bench.backend.rows(in: table).reduce(0) { $0 + $1.value.count }
            try bench.expectEqual(total, sizes.reduce(0, +), "bytes in a walk")
        },
        BackendRule("a value may hold any bytes") { bench in
            let table = try bench.makeTable()
            let bytes = (0...255).map { UInt8($0) }
            try bench.commit { batch in
                try batch.put(bytes, at: 2, in: table)
                try batch.put([0], at: 3, in: table)
                try batch.put([0, 0, 0, 0], at: 4, in: table)
                try batch.put([UInt8](repeating: 255, count: 9), at: 5, in: table)
            }
            try bench.expectEqual(bench.backend.value(of: 2, in: table), bytes, "all bytes")
            try bench.expectEqual(bench.backend.value(of: 3, in: table), [0], "one zero")
            try bench.expectEqual(bench.backend.value(of: 4, in: table), [0, 0, 0, 0], "zeros")
            try bench.expectEqual(
                bench.backend.value(of: 5, in: table), [UInt8](repeating: 255, count: 9), "ones")
        },
        BackendRule("reading replaces what the buffer held") { bench in
            let table = try bench.makeTable()
            try bench.commit { batch in
                try batch.put([1, 2], at: 2, in: table)
                try batch.put([8, 9], for: [7], in: .namedBuffers)
            }
            let buffer = DataBuffer()
            buffer.writeString("something longer than the value that is read")
            _ = try buffer.readUInt8()
            _ = try bench.backend.value(of: 2, in: table, into: buffer)
            try bench.expectEqual(buffer.withUnsafeBytes { Array($0) }, [1, 2], "row 2")
            try bench.expectEqual(try buffer.readUInt8(), 1, "first byte read")
            _ = try bench.backend.value(forKey: [7], in: .namedBuffers, into: buffer)
            try bench.expectEqual(try buffer.readUInt8(), 8, "first byte read of a key")
        },
        BackendRule("reading what is not there empties the buffer") { bench in
            let table = try bench.makeTable()
            let buffer = DataBuffer()
            buffer.writeUInt64(1)
            let hasRow = try bench.backend.value(of: 2, in: table, into: buffer)
            try bench.expect(!hasRow && buffer.count == 0, "a missing row left bytes")
            buffer.writeUInt64(1)
            let hasKey = try bench.backend.value(forKey: [7], in: .namedBuffers, into: buffer)
            try bench.expect(!hasKey && buffer.count == 0, "a missing key left bytes")
        },
        BackendRule("a buffer that was read into is the reader's own") { bench in
            let table = try bench.makeTable()
            try bench.commit { try $0.put([1, 2, 3, 4], at: 2, in: table) }
            let read = DataBuffer()
            let changed = DataBuffer()
            _ = try bench.backend.value(of: 2, in: table, into: read)
            _ = try bench.backend.value(of: 2, in: table, into: changed)
            changed.writeUInt8(5)
            try bench.commit { try $0.put([9, 9, 9, 9], at: 2, in: table) }
            try bench.commit { try $0.deleteRow(2, in: table) }
            try bench.expectEqual(
                read.withUnsafeBytes { Array($0) }, [1, 2, 3, 4], "what was read")
            try bench.expectEqual(
                changed.withUnsafeBytes { Array($0) }, [1, 2, 3, 4, 5], "what was changed")
        },
    ]
}
