import CabinetBackend

/// The postings of one entry of a text index.
struct PostingEntry {
    let segment: UInt32
    let postings: Postings
}

extension TextSnapshot {
    /// Calls `body` with the postings of each entry in a range of keys, until it returns `false`.
    /// - Throws: what reading and `body` throw; `DataBufferError` for bytes that are no postings.
    func forEachPosting(
        in range: KeyRange, _ body: (PostingEntry) throws -> Bool
    ) throws {
        try forEach(range) { key, value in
            guard let entry = try postingEntry(key, value) else { return true }
            return try body(entry)
        }
    }

    /// The postings under a key; `nil` for a key of something else.
    /// - Throws: `DataBufferError` for bytes that are no postings.
    func postingEntry(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(DataBufferError) -> PostingEntry? {
        guard let (segment, first) = TextKeys.place(ofPostings: key) else { return nil }
        var postings = Postings()
        try postings.readBlock(value, from: first, hasLengths: hasLengths)
        return PostingEntry(segment: segment, postings: postings)
    }
}
