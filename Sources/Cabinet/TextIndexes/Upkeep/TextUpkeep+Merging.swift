import CabinetBackend

extension TextUpkeep {
    /// Segments of about one size that follow one another, among `segments` in their order; `nil` if there
    /// are not enough of them anywhere.
    static func segmentsToMerge(_ segments: [SegmentHead]) -> Range<Int>? {
        var end = segments.count
        while end >= segmentsOfSize {
            // Of segments of one order, those with lesser numbers count as the older ones: all or none.
            if end < segments.count, segments[end].order == segments[end - 1].order {
                end -= 1
                continue
            }
            var start = end - 1
            var sum = segments[start].postings
            let size = sizeClass(segments[start].postings)
            while start > 0, sizeClass(segments[start - 1].postings) <= size,
                sum <= postingsLimit, segments[start - 1].postings <= postingsLimit - sum
            {
                start -= 1
                sum += segments[start].postings
            }
            if end - start >= segmentsOfSize { return start..<end }
            end -= 1
        }
        return nil
    }

    /// Sizes within a factor of 4 are one.
    private static func sizeClass(_ postings: UInt64) -> Int {
        var (size, rest) = (0, postings / 2048)
        while rest > 0 {
            rest /= 4
            size += 1
        }
        return size
    }

    /// Makes one segment of those in `range`, without what does not count in them. Returns whether it made a
    /// commit: segments with too many terms stay as they are.
    func merge(_ range: Range<Int>, _ snapshot: TextSnapshot) throws -> Bool {
        guard let table = text.table else { return false }
        let merged = Array(snapshot.segments[range])
        guard let newest = merged.last else { return false }
        // Made before the batch, which other commits wait for.
        var entries: [(key: [UInt8], value: [UInt8])] = []
        var deleted: [[UInt8]] = []
        let number = UInt32.random(in: .min ... .max)
        guard let terms = try terms(of: merged, snapshot, deleted: &deleted) else { return false }
        var writer = SegmentWriter(number, hasLengths: snapshot.hasLengths) {
            entries.append((Array($0), Array($1)))
        }
        for term in terms {
            try term.withUnsafeBytes { term in
                let postings = try snapshot.postings(of: term, in: merged, deleted: &deleted)
                try writer.write(term, postings)
            }
        }
        try writer.finish(
            order: newest.order, rows: merged.reduce(0) { $0 &+ $1.rows },
            length: merged.reduce(0) { $0 &+ $1.length })
        for head in merged {
            try snapshot.forEach(KeyRange(prefix: TextKeys.key(.gone, head.number))) { key, _ in
                deleted.append(Array(key))
                return true
            }
            deleted.append(TextKeys.key(.segment, head.number))
        }
        try commit { batch in
            for key in deleted { try batch.deleteKey(key, in: table) }
            for entry in entries { try batch.put(entry.value, for: entry.key, in: table) }
            let rows = Set(merged.flatMap { snapshot.voided[$0.number] ?? [] }).inOrder()
            if range.lowerBound > 0, !rows.isEmpty {
                try Self.putVoided(rows, of: number, in: batch, table)
                // What the older ones void is void now in segments up to the newest one's order.
                try batch.deleteKey(Self.voidingMerge, in: table)
            }
        }
        return true
    }

    /// A key that is never there. A merge that raises the order of what segments void deletes it; a commit
    /// with segments of its own, whose order may lie below, requires it unchanged, and is made again.
    private static let voidingMerge = TextKeys.key(.gone)

    /// Requires that no merge since the batch's basis voids rows of a segment that it makes.
    static func requireNoVoidingMerge(in batch: WriteBatch, _ table: TableNumber) {
        batch.require(.unchanged, key: voidingMerge, in: table)
    }

    /// The terms of some segments in their order, each once; `nil` if they are more than ``termsLimit``.
    private func terms(
        of segments: [SegmentHead], _ snapshot: TextSnapshot, deleted: inout [[UInt8]]
    ) throws -> [[UInt8]]? {
        var terms: [[UInt8]] = []
        for head in segments {
            try snapshot.forEach(KeyRange(prefix: TextKeys.key(.terms, head.number))) {
                key, value in
                deleted.append(Array(key))
                _ = try TermBlock.forEachTerm(in: value) { term, _ in
                    terms.append(Array(term))
                    return terms.count <= Self.termsLimit
                }
                return terms.count <= Self.termsLimit
            }
            if terms.count > Self.termsLimit { return nil }
        }
        terms.sort { $0.lexicographicallyPrecedes($1) }
        var distinct: [[UInt8]] = []
        for term in terms where term != distinct.last { distinct.append(term) }
        return distinct
    }
}

extension TextSnapshot {
    /// The postings of a term in some segments, but for those that other segments void there. Rows whose
    /// records are asked stay: they may be in no other segment. Adds the keys to `deleted`.
    fileprivate func postings(
        of term: UnsafeRawBufferPointer, in segments: [SegmentHead], deleted: inout [[UInt8]]
    ) throws -> Postings {
        var result = Postings()
        var isInOrder = true
        for head in segments {
            var own = Postings()
            var stem = TextKeys.postings(of: term)
            TextKeys.append(head.number, to: &stem)
            try forEach(KeyRange(prefix: stem)) { key, value in
                deleted.append(Array(key))
                guard let first = TextKeys.number(in: key, at: key.count - 4) else { return true }
                try own.readBlock(value, from: first, hasLengths: hasLengths)
                return true
            }
            let gone = gone[head.number]
            for index in own.rows.indices {
                if let gone, gone.contains(RowID(own.rows[index])) { continue }
                if let last = result.rows.last, last >= own.rows[index] { isInOrder = false }
                result.append(index, of: own)
            }
        }
        return isInOrder ? result : result.sorted()
    }
}
