import CabinetBackend

/// A text index as of one commit, for one search or one piece of upkeep.
final class TextSnapshot {
    let hasLengths: Bool
    let entries: TextEntries
    let state: TextState

    /// - Parameters:
    ///   - state: what is known of the index as of this commit; `nil` to read it.
    ///   - memory: what nothing else uses meanwhile.
    /// - Throws: a ``BackendError``; `DataBufferError` for entries that are none.
    init(
        _ table: TableNumber, hasLengths: Bool, _ reader: any BackendReader,
        _ state: TextState? = nil, memory: EntryMemory = EntryMemory()
    ) throws {
        self.hasLengths = hasLengths
        entries = TextEntries(table, reader, memory)
        self.state = try state ?? TextState(entries)
    }

    var reader: any BackendReader { entries.reader }
    var table: TableNumber { entries.table }
    var segments: [SegmentHead] { state.segments }
    var unmerged: [RowID: UnmergedRow] { state.unmerged }
    var unmergedRows: RowSet { state.unmergedRows }
    var gone: [UInt32: RowSet] { state.gone }
    var voided: [UInt32: [UInt32]] { state.voided }
    var segmented: (rows: Int, length: Int) { state.segmented }

    /// Calls `body` with each entry of a range, until it returns `false`.
    func forEach(
        _ range: KeyRange,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try entries.forEach(range, body)
    }

    /// Adds the postings of an entry, if it is one.
    /// - Throws: `DataBufferError` for bytes that are no postings.
    func add(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, typos: Int = 0,
        to postings: TermPostings
    ) throws(DataBufferError) {
        guard let (segment, first) = TextKeys.place(ofPostings: key),
            let passed = state.passed(in: segment)
        else { return }
        try postings.append(value, from: first, passed: passed, typos: typos)
    }

    /// The lengths of the texts of some rows, in ascending order, of an index whose postings have none.
    /// - Throws: a ``BackendError``; `DataBufferError` for entries that are none.
    func lengths(of rows: [UInt32]) throws -> [UInt32] {
        try state.lengths.lengths(of: rows, self)
    }

    /// The terms of the index.
    func dictionary() throws -> TextDictionary {
        if let dictionary = state.dictionary { return dictionary }
        let dictionary = try TextDictionary(entries, segments.map(\.number))
        state.dictionary = dictionary
        return dictionary
    }
}
