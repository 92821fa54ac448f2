import CabinetBackend

/// What a text index consists of as of one commit.
final class TextSnapshot {
    let table: TableNumber
    let hasPositions: Bool
    let reader: any BackendReader
    /// In ascending order.
    private(set) var segments: [SegmentHead] = []
    /// Of each segment, the rows that do not count there any more, but for ``fresh``.
    private(set) var gone: [UInt32: RowSet] = [:]
    /// The rows whose records are asked.
    private(set) var fresh: [RowID: FreshRow] = [:]
    private(set) var freshRows = RowSet()
    /// Of the ordered segments, the rows that each voids in those before it.
    private(set) var voided: [UInt32: [UInt32]] = [:]

    /// - Throws: a ``BackendError``; `DataBufferError` for entries that are none.
    init(_ table: TableNumber, hasPositions: Bool, _ reader: any BackendReader) throws {
        self.table = table
        self.hasPositions = hasPositions
        self.reader = reader
        let buffer = DataBuffer()
        try forEach(KeyRange(prefix: TextKeys.key(.segment))) { key, value in
            guard let number = TextKeys.number(in: key, at: 1) else { return true }
            buffer.borrow(value)
            segments.append(try SegmentHead(number, buffer))
            return true
        }
        segments.sort { $0.order == $1.order ? $0.number < $1.number : $0.order < $1.order }
        try forEach(KeyRange(prefix: TextKeys.key(.fresh))) { key, value in
            guard let row = TextKeys.number(in: key, at: 1) else { return true }
            fresh[RowID(row)] = FreshRow(value)
            freshRows.insert(RowID(row))
            return true
        }
        try readVoided()
    }

    /// How many texts the segments know that count, and the sum of their lengths.
    var segmented: (rows: Int, length: Int) {
        var (rows, length) = (0, 0)
        for head in segments {
            rows += Int(clamping: head.rows)
            length += Int(clamping: head.length)
        }
        for row in fresh.values {
            guard let segmented = row.segmented else { continue }
            rows -= 1
            length -= segmented
        }
        return (max(rows, 0), max(length, 0))
    }

    /// Whether what the segment says of `row` counts.
    @inline(__always)
    func counts(_ row: RowID, in segment: UInt32) -> Bool {
        if !freshRows.isEmpty, freshRows.contains(row) { return false }
        if gone.isEmpty { return true }
        return gone[segment].map { !$0.contains(row) } ?? true
    }

    private func readVoided() throws {
        try forEach(KeyRange(prefix: TextKeys.key(.gone))) { key, value in
            guard let segment = TextKeys.number(in: key, at: 1),
                let first = TextKeys.number(in: key, at: 5)
            else { return true }
            var rows = Postings()
            try rows.read(value, from: first, hasPositions: false)
            voided[segment, default: []] += rows.rows
            return true
        }
        guard !voided.isEmpty else { return }
        var all = RowSet()
        for head in segments.reversed() {
            if !all.isEmpty { gone[head.number] = all }
            for row in voided[head.number] ?? [] { all.insert(RowID(row)) }
        }
    }

    /// Calls `body` with each entry of a range, until it returns `false`.
    func forEach(
        _ range: KeyRange,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let cursor = try reader.entries(in: table, range: range, descending: false)
        let run = EntryRun()
        var limit = 16
        while try cursor.next(run, limit: limit) {
            limit = min(limit * 4, 4096)
            while let (key, value) = run.next() {
                guard try body(key, value) else { return }
            }
        }
    }

    /// Adds the postings that count of the terms whose keys begin with `stem`, segment after segment.
    /// `isTerm` says that these are the keys of one term.
    func readPostings(_ stem: [UInt8], into postings: inout [UInt32: Postings]) throws {
        try forEach(KeyRange(prefix: stem)) { key, value in
            guard key.count >= 10, let segment = TextKeys.number(in: key, at: key.count - 8),
                let first = TextKeys.number(in: key, at: key.count - 4)
            else { return true }
            try postings[segment, default: Postings()]
                .read(value, from: first, hasPositions: hasPositions)
            return true
        }
    }

    /// The postings of one term that count, in ascending order of their rows.
    func postings(of term: UnsafeRawBufferPointer) throws -> Postings {
        var bySegment: [UInt32: Postings] = [:]
        try readPostings(TextKeys.postings(of: term), into: &bySegment)
        return joined(bySegment)
    }

    /// What counts of the postings of one term in each segment, in ascending order of their rows.
    func joined(_ bySegment: [UInt32: Postings]) -> Postings {
        let isWhole = freshRows.isEmpty && gone.isEmpty
        if isWhole, bySegment.count == 1, let only = bySegment.first { return only.value }
        var result = Postings()
        for (segment, postings) in bySegment.sorted(by: { $0.key < $1.key }) {
            for index in postings.rows.indices
            where isWhole || counts(RowID(postings.rows[index]), in: segment) {
                result.append(index, of: postings)
            }
        }
        return bySegment.count > 1 ? result.sorted() : result
    }

    /// Calls `body` with each term from `first` on, each once, in ascending order, until it returns
    /// `false`; with the number of rows that the segments have of it, also of those that do not count.
    func forEachTerm(
        from first: [UInt8] = [], _ body: (UnsafeRawBufferPointer, Int) throws -> Bool
    ) throws {
        // Few segments: the terms of each are merged by a table where there are several.
        if segments.count == 1, let only = segments.first {
            _ = try forEachTerm(of: only.number, from: first, body)
            return
        }
        var all: [[UInt8]: Int] = [:]
        for head in segments {
            _ = try forEachTerm(of: head.number, from: first) { term, rows in
                all[Array(term), default: 0] += rows
                return true
            }
        }
        for (term, rows) in all.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            guard try term.withUnsafeBytes({ try body($0, rows) }) else { return }
        }
    }

    private func forEachTerm(
        of segment: UInt32, from first: [UInt8],
        _ body: (UnsafeRawBufferPointer, Int) throws -> Bool
    ) throws -> Bool {
        var range = KeyRange(prefix: TextKeys.key(.terms, segment))
        if !first.isEmpty {
            // The block before the one that would begin with the term may have it.
            let key = first.withUnsafeBytes { TextKeys.terms(segment, from: $0) }
            let cursor = try reader.entries(
                in: table, range: KeyRange(from: range.lower, to: key + [0]), descending: true)
            let run = EntryRun()
            if try cursor.next(run, limit: 1), let (key, _) = run.next() {
                range.lower = Array(key)
            }
        }
        var goesOn = true
        try forEach(range) { _, value in
            goesOn = try TermBlock.forEachTerm(in: value) { term, rows in
                if !first.isEmpty, term.lexicographicallyPrecedes(first) { return true }
                return try body(term, rows)
            }
            return goesOn
        }
        return goesOn
    }
}
