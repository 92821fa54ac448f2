import CabinetBackend

extension [RowID] {
    /// Puts the rows in order, each once.
    mutating func sortRows() {
        guard count > 1, !isAscending, let last = self.max() else { return }
        // A bit for each row up to the last one, where they are dense enough.
        if count >= 1024, Int(last.rawValue) / count < 256 {
            return sortByBits(upTo: Int(last.rawValue))
        }
        sort()
        var kept = 1
        for index in 1..<count where self[index] != self[kept - 1] {
            self[kept] = self[index]
            kept += 1
        }
        removeLast(count - kept)
    }

    /// Whether the rows are in order, each once: those of equal keys are.
    private var isAscending: Bool {
        withUnsafeBufferPointer { rows in
            var last = RowID.none
            for row in rows {
                if row <= last { return false }
                last = row
            }
            return true
        }
    }

    private mutating func sortByBits(upTo last: Int) {
        var bits = [UInt64](repeating: 0, count: last / 64 + 1)
        for row in self { bits[Int(row.rawValue) / 64] |= 1 << UInt64(row.rawValue % 64) }
        var kept = 0
        for (place, word) in bits.enumerated() where word != 0 {
            var word = word
            while word != 0 {
                self[kept] = RowID(UInt32(place * 64 + word.trailingZeroBitCount))
                kept += 1
                word &= word - 1
            }
        }
        removeLast(count - kept)
    }

    /// Keeps those that `others` has too. Both are in order, each row once.
    mutating func formIntersection(_ others: [RowID]) {
        var kept = 0
        withUnsafeMutableBufferPointer { rows in
            others.withUnsafeBufferPointer { others in
                var (place, other) = (0, 0)
                while place < rows.count, other < others.count {
                    let (one, two) = (rows[place], others[other])
                    // Without a branch, as none could be foreseen.
                    rows[kept] = one
                    kept &+= one == two ? 1 : 0
                    place &+= one <= two ? 1 : 0
                    other &+= two <= one ? 1 : 0
                }
            }
        }
        removeLast(count - kept)
    }
}

extension Store {
    /// Reads the rows that `plan` names, in ascending order, each once.
    func readRows(of plan: RowPlan, into rows: inout [RowID], _ memory: SeekMemory) throws {
        rows.removeAll(keepingCapacity: true)
        switch plan.source {
        case .named(let named): rows = named.rows
        case .index(let scan):
            scan.index.uses += 1
            try readRows(of: scan, into: &rows, memory)
            rows.sortRows()
        case .union(let parts):
            var more: [RowID] = []
            for part in parts {
                try readRows(of: part, into: &more, memory)
                rows += more
            }
            rows.sortRows()
        case .intersection(let parts):
            var others: [RowID] = []
            for (place, part) in parts.enumerated() {
                if place == 0 {
                    try readRows(of: part, into: &rows, memory)
                } else {
                    try readRows(of: part, into: &others, memory)
                    rows.formIntersection(others)
                }
                if rows.isEmpty { return }
            }
        }
    }

    /// Reads the rows that one index names, in the order of its keys.
    private func readRows(
        of scan: IndexScan, into rows: inout [RowID], _ memory: SeekMemory
    ) throws {
        let run = memory.found
        if let point = scan.point {
            let row = try reading { reader throws(BackendError) in
                try reader.row(withKey: point, in: scan.table, by: memory.value)
            }
            if let row { rows.append(row) }
            return
        }
        for range in scan.ranges {
            let before = rows.count
            // All of a short range is read at once: no walk is begun that commits could interrupt.
            if scan.count <= Self.rowsAtOnce {
                let isWhole = try reading { reader throws(BackendError) in
                    rows.removeSubrange(before...)
                    let cursor = try reader.entries(
                        in: scan.table, range: range, descending: false)
                    guard try cursor.next(run, limit: Self.rowsAtOnce + 1) else { return true }
                    let isWhole = !run.isFull
                    rows += run.rows
                    return isWhole && rows.count - before <= Self.rowsAtOnce
                }
                if isWhole { continue }
                rows.removeSubrange(before...)
            }
            let cursor = try readerForWalk().entries(
                in: scan.table, range: range, descending: false)
            while try cursor.next(run, limit: .max) { rows += run.rows }
        }
    }

    /// How many entries are read at once, in one step of a cursor.
    private static var rowsAtOnce: Int { 1000 }
}
