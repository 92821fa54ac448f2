import CabinetBackend
import Foundation
import Synchronization

extension BackendRule {
    /// All calls may come from any thread, also at the same time.
    static let threads: [BackendRule] = [
        BackendRule("commits of several threads all happen, each with its own number") { bench in
            let table = try bench.makeTable()
            let backend = bench.backend
            let numbers = Guarded<Set<CommitNumber>>([])
            try inParallel(4) { index in
                for step in 0..<50 {
                    let row = RowID(UInt32(2 + index * 1000 + step))
                    let number = try backend.commit {
                        try $0.put(pattern(row.rawValue, 40), at: row, in: table)
                    }
                    _ = numbers.withLock { $0.insert(number) }
                }
            }
            try bench.expectEqual(backend.count(of: table), 200, "count")
            try bench.expectEqual(numbers.withLock { $0.count }, 200, "different commit numbers")
        },
        BackendRule("who sees one change of a batch sees all of it") { bench in
            let first = try bench.makeTable(.record, "First")
            let second = try bench.makeTable(.record, "Second")
            let backend = bench.backend
            let done = Signal()
            let reads = [Rounds(), Rounds()]
            try inParallel(3) { index in
                if index == 0 {
                    defer { done.raise() }
                    var step: UInt32 = 0
                    while step < 400 || !reads.allSatisfy({ $0.hasReached(400) }) {
                        step += 1
                        try backend.commit { batch in
                            for row in 2...9 as ClosedRange<RowID> {
                                try batch.put(number(step), at: row, in: first)
                                try batch.put(number(step), at: row, in: second)
                            }
                        }
                    }
                }
                let rounds = reads[max(index - 1, 0)]
                defer { rounds.end() }
                while !done.isRaised {
                    // Forwards and backwards: whatever an engine writes last, one of them is late.
                    var places = [(first, 2), (first, 9), (second, 2), (second, 9)]
                    if index == 1 { places.reverse() }
                    var seen: UInt32 = 0
                    for (table, row) in places {
                        let found = value(try backend.value(of: RowID(UInt32(row)), in: table))
                        if found < seen { throw Unexpected("\(seen) was seen, and then \(found)") }
                        seen = found
                    }
                    rounds.count()
                }
            }
        },
        BackendRule("a commit that has returned is seen by every thread") { bench in
            let table = try bench.makeTable()
            let backend = bench.backend
            let committed = Atomic<UInt32>(0)
            let read = Atomic<UInt32>(0)
            let done = Signal()
            // In lock-step, so that each number is read before the next one is written.
            try inParallel(2) { index in
                defer { done.raise() }
                for step in 1...100 as ClosedRange<UInt32> {
                    if index == 0 {
                        try backend.commit { try $0.put(number(step), at: 2, in: table) }
                        committed.store(step, ordering: .releasing)
                        while read.load(ordering: .acquiring) < step, !done.isRaised {
                            Thread.sleep(forTimeInterval: 0.000_01)
                        }
                    } else {
                        while committed.load(ordering: .acquiring) < step, !done.isRaised {
                            Thread.sleep(forTimeInterval: 0.000_01)
                        }
                        guard committed.load(ordering: .acquiring) >= step else { return }
                        let found = value(try backend.value(of: 2, in: table))
                        if found < step {
                            throw Unexpected("\(step) was committed, \(found) is read")
                        }
                        read.store(step, ordering: .releasing)
                    }
                }
            }
        },
        BackendRule("a commit can freeze a reader at itself or later", needs: .snapshots) { bench in
            let table = try bench.makeTable()
            let backend = bench.backend
            try inParallel(3) { index in
                let row = RowID(UInt32(2 + index))
                var former: (any BackendReader)?
                for step in 1...40 as ClosedRange<UInt32> {
                    let batch = backend.makeBatch()
                    try batch.put(number(step), at: row, in: table)
                    var calls = 0
                    let made = try backend.commit(batch, freezing: "rule") { calls += 1 }
                    guard calls == 1 else { throw Unexpected("\(calls) calls meanwhile") }
                    guard let reader = made.reader else { throw Unexpected("no reader") }
                    guard try reader.lastCommit() >= made.number,
                        value(try reader.value(of: row, in: table)) == step
                    else { throw Unexpected("the reader does not have the commit") }
                    guard
                        try former.map({ value(try $0.value(of: row, in: table)) }) ?? 0
                            == step - 1
                    else { throw Unexpected("a former reader shows something else") }
                    former = reader
                }
            }
            try bench.expectEqual(backend.openSnapshots.count, 0, "readers that are left")
        },
        BackendRule("a walk may go on on another thread") { bench in
            let table = try bench.makeTable()
            try bench.backend.commit { batch in
                for row in 2..<6002 as Range<RowID> {
                    try batch.put(pattern(row.rawValue, 200), at: row, in: table)
                }
            }
            // One thread at a time has them.
            nonisolated(unsafe) let cursor = try bench.backend.records(in: table)
            nonisolated(unsafe) let run = RecordRun()
            let met = Atomic(0)
            let done = Signal()
            while !done.isRaised {
                try inParallel(1) { _ in
                    if try !cursor.next(run) { done.raise() }
                    while run.next() != nil { met.add(1, ordering: .relaxed) }
                }
            }
            try bench.expectEqual(met.load(ordering: .relaxed), 6000, "rows met")
        },
        BackendRule("reads of several threads are answered while others commit") { bench in
            let table = try bench.makeTable()
            let index = try bench.makeTable(.ordered, "Index")
            let backend = bench.backend
            try inParallel(4) { thread in
                var numbers = SeededNumbers(UInt64(thread))
                for _ in 0..<200 {
                    let row = RowID(UInt32.random(in: 2...50, using: &numbers))
                    let bytes = pattern(row.rawValue, Int.random(in: 4...3000, using: &numbers))
                    try backend.commit { batch in
                        try batch.put(bytes, at: row, in: table)
                        try batch.put(bytes, for: Array("\(row)".utf8), in: index)
                        if thread == 0 { try batch.deleteRow(RowID(row.rawValue / 2), in: table) }
                    }
                    let found = [
                        try backend.value(of: row, in: table),
                        try backend.value(forKey: Array("\(row)".utf8), in: index),
                    ]
                    for case let bytes? in found where !isPattern(bytes) {
                        throw Unexpected("a value of row \(row) was half written")
                    }
                    _ = try backend.count(of: table)
                    _ = try backend.tables()
                }
            }
        },
    ]

    private static func number(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    private static func value(_ bytes: [UInt8]?) -> UInt32 {
        (bytes ?? []).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
