import CabinetBackend

extension Run {
    /// Reads all of the run and checks what the sums cannot show: the order of the keys, that each
    /// is on its side of the separators, that groups begin where a search expects them, and all
    /// counts.
    ///
    /// - Throws: ``BackendError/corrupt(path:offset:)`` with the offset of the block, or of the
    ///   footer if only the totals are wrong.
    package func verify() throws(BackendError) {
        var totals = Totals()
        let cursor = try cursor()
        try cursor.seek(nil)
        for number in 0..<blockCount {
            guard let place = index.place(of: number) else { throw damage(in: number) }
            try check(number, place)
            guard try verify(number, cursor, &totals) else { throw damage(in: number) }
        }
        guard !cursor.isAtEntry, totals.deletes == footer.deletes,
            totals.keyBytes == footer.keyBytes, totals.valueBytes == footer.valueBytes
        else { throw .corrupt(path: path, offset: size - UInt64(RunFooter.size)) }
    }

    private struct Totals {
        var deletes: UInt64 = 0
        var keyBytes: UInt64 = 0
        var valueBytes: UInt64 = 0
        /// The key before.
        var last: [UInt8]?
    }

    /// Checks one block, at whose first entry the cursor is, and moves behind it.
    private func verify(
        _ number: Int, _ cursor: RunCursor, _ totals: inout Totals
    ) throws(BackendError) -> Bool {
        let block = try block(number)
        let count = index.entries(before: number + 1) - index.entries(before: number)
        let expectedWeight = index.weight(before: number + 1) - index.weight(before: number)
        guard block.hasRightPrefixes,
            block.groups == (count + RunBlock.groupSize - 1) / RunBlock.groupSize
        else {
            return false
        }
        if let last = totals.last {
            let isDivided = last.withUnsafeBytes {
                $0.lexicographicallyPrecedes(separator(of: number))
            }
            guard isDivided else { return false }
        }
        guard cursor.isAtEntry, !cursor.key.lexicographicallyPrecedes(separator(of: number)) else {
            return false
        }
        var weight = 0
        var greatest = 0
        for entry in 0..<count {
            let (group, place) = entry.quotientAndRemainder(dividingBy: RunBlock.groupSize)
            guard cursor.isAt(block: number, group: group, entry: place) else { return false }
            if place == 0, block.weight(before: group) != weight { return false }
            if let last = totals.last {
                let isSorted = last.withUnsafeBytes { $0.lexicographicallyPrecedes(cursor.key) }
                guard isSorted else { return false }
            }
            totals.last = Array(cursor.key)
            totals.keyBytes += UInt64(cursor.key.count)
            totals.valueBytes += UInt64(cursor.value.count)
            if cursor.isDelete { totals.deletes += 1 }
            weight += Int(cursor.weight)
            greatest = max(greatest, weight)
            try cursor.next()
        }
        return weight == expectedWeight && greatest == greatestWeight(in: number)
            && !cursor.isIn(block: number)
    }
}
