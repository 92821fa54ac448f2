import CabinetBackend

/// Counters that several writers add to, each addition with an entry of its own and an index of the sums: what
/// is in the store tells whether an addition was lost, made twice or made by half.
package struct Adders {
    private let counters: TableNumber
    private let entries: TableNumber
    private let sums: TableNumber
    /// Few, so that writers meet.
    private static let rows: ClosedRange<RowID> = 2...6

    /// Makes the tables, where they are not there.
    package init(_ backend: any Backend) throws(BackendError) {
        let wanted = [
            TableClaim(kind: .record, name: "Counter"), TableClaim(kind: .record, name: "Entry"),
            TableClaim(kind: .ordered, name: "Sums"),
        ]
        var numbers: [TableNumber] = []
        for claim in wanted {
            let definition = try backend.claim(claim)
            numbers.append(definition.number)
            try backend.refresh()
            guard try !backend.tables().contains(definition) else { continue }
            let batch = backend.makeBatch()
            try batch.define(definition)
            try backend.commit(batch)
        }
        (counters, entries, sums) = (numbers[0], numbers[1], numbers[2])
    }

    /// Adds 1 to one of the counters, however often others come first.
    /// - Parameter began: called with the entry's row before each try.
    /// - Returns: how often another writer came first.
    package func add(
        to backend: any Backend, _ random: inout SeededRandom, began: (RowID) -> Void
    ) throws(BackendError) -> Int {
        let row = Self.rows.lowerBound.advanced(by: random.below(Self.rows.count))
        let entry = try backend.reserveRows(1, in: entries).lowerBound
        var conflicts = 0
        while true {
            began(entry)
            try backend.refresh()
            do throws(BackendError) {
                try add(to: row, entry, as: backend.snapshot(label: "adder"), backend)
                return conflicts
            } catch {
                guard case .conflict = error else { throw error }
                conflicts += 1
            }
        }
    }

    private func add(
        to row: RowID, _ entry: RowID, as reader: any BackendReader, _ backend: any Backend
    ) throws(BackendError) {
        let sum = try sum(of: row, in: reader)
        let batch = backend.makeBatch()
        batch.basis = try reader.lastCommit()
        try put(sum + 1, at: row, in: counters, batch)
        try put(row.rawValue, at: entry, in: entries, batch)
        if sum > 0 {
            try key(row, sum).withUnsafeBytesThrowing { key throws(BackendError) in
                try batch.deleteKey(key, in: sums)
            }
        }
        try key(row, sum + 1).withUnsafeBytesThrowing { key throws(BackendError) in
            try batch.put(UnsafeRawBufferPointer(start: nil, count: 0), for: key, in: sums)
        }
        try backend.commit(batch)
    }

    private func put(
        _ number: UInt32, at row: RowID, in table: TableNumber, _ batch: WriteBatch
    ) throws(BackendError) {
        batch.beginRecord(row, in: table).writeUInt32(number)
        try batch.endRecord()
    }

    private func key(_ row: RowID, _ sum: UInt32) -> [UInt8] {
        [row.rawValue, sum].flatMap { number in
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
    }

    private func sum(
        of row: RowID, in reader: any BackendReader
    ) throws(BackendError) -> UInt32 {
        let buffer = DataBuffer()
        guard try reader.value(of: row, in: counters, into: buffer) else { return 0 }
        return (try? buffer.readUInt32()) ?? 0
    }

    // MARK: Judging

    /// What is wrong with the store; `nil`: nothing.
    /// - Parameters:
    ///   - made: the entries of additions that were acknowledged.
    ///   - unknown: those of writers that were killed before an answer came.
    package func fault(
        in backend: any Backend, made: Set<RowID>, unknown: Set<RowID>
    ) throws(BackendError) -> String? {
        let reader = try backend.snapshot(label: "judge")
        var found: [RowID: UInt32] = [:]
        var there: Set<RowID> = []
        let run = RecordRun()
        let cursor = try reader.records(in: entries)
        while try cursor.next(run) {
            while let (row, value) = run.next() {
                there.insert(row)
                let number = value.loadUnaligned(as: UInt32.self)
                found[RowID(UInt32(littleEndian: number)), default: 0] += 1
            }
        }
        guard there.isSuperset(of: made) else {
            return "additions \(made.subtracting(there)) are lost"
        }
        guard there.isSubset(of: made.union(unknown)) else {
            return "additions \(there.subtracting(made).subtracting(unknown)) were never begun"
        }
        var keys: [[UInt8]] = []
        for row in Self.rows {
            let sum = try sum(of: row, in: reader)
            guard sum == found[row] ?? 0 else {
                return "counter \(row) is \(sum), with \(found[row] ?? 0) entries"
            }
            if sum > 0 { keys.append(key(row, sum)) }
        }
        var walked: [[UInt8]] = []
        let entryRun = EntryRun()
        let walk = try reader.entries(in: sums, range: .everything, descending: false)
        while try walk.next(entryRun) {
            while let (key, _) = entryRun.next() { walked.append([UInt8](key)) }
        }
        guard walked == keys else { return "the index has \(walked), not \(keys)" }
        return try faultOfFeed(backend)
    }

    /// Commits have numbers without gaps.
    private func faultOfFeed(_ backend: any Backend) throws(BackendError) -> String? {
        var last = CommitNumber.none
        do throws(BackendError) { _ = try backend.changes(after: last) } catch {
            // Of very many the latest alone are kept.
            guard case .changesGone(let oldest) = error else { throw error }
            last = oldest
        }
        let cursor = try backend.changes(after: last)
        while let commit = try cursor.next() {
            guard commit.number == last.next else { return "\(commit.number) follows \(last)" }
            last = commit.number
        }
        return last == (try backend.lastCommit()) ? nil : "the feed ends at \(last)"
    }
}
