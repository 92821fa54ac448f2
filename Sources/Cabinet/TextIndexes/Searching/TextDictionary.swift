import CabinetBackend
import CabinetTextSearch

/// The terms of some segments. Segments never change, so it is good as long as the index consists of these.
///
/// All terms are in memory if they take a bounded amount of it; otherwise each search reads all of them.
final class TextDictionary {
    /// If there are so many blocks of terms, of 1 KiB each, terms stay where they are.
    static let blocksLimit = 16 << 10

    private let ranges: [KeyRange]
    /// `nil` if there are too many terms.
    let terms: TermList?

    /// - Parameter blocksLimit: how many blocks of terms there may be at most for them to be in memory.
    /// - Throws: a ``BackendError``; `DataBufferError` for entries that are none.
    init(
        _ entries: TextEntries, _ segments: [UInt32], blocksLimit: Int = TextDictionary.blocksLimit
    ) throws {
        let ranges = segments.map { KeyRange(prefix: TextKeys.key(.terms, $0)) }
        self.ranges = ranges
        let blocks = try ranges.reduce(0) {
            try $0 + entries.reader.count(of: $1, in: entries.table)
        }
        guard blocks <= blocksLimit else {
            terms = nil
            return
        }
        let lists = try ranges.map { range in
            var list = TermList()
            try Self.forEachBlock(of: range, entries) { try Self.append($0, to: &list) }
            return list
        }
        terms = TermList(merging: lists)
    }

    private static func forEachBlock(
        of range: KeyRange, _ entries: TextEntries, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try entries.forEach(range, first: 4096) { _, value in
            try body(value)
            return true
        }
    }

    private static func append(_ block: UnsafeRawBufferPointer, to list: inout TermList) throws {
        _ = try TermBlock.forEachTerm(in: block) { term, _ in
            list.append(term)
            return true
        }
    }

    /// The terms that `find` gives of a list by their places, with their typos: each once, in ascending order.
    /// - Parameter find: is asked once, or, if the terms are not in memory, of each block.
    func terms(
        _ entries: TextEntries,
        _ find: (TermList, _ found: (_ place: Int, _ typos: Int) -> Void) -> Void
    ) throws -> [(term: [UInt8], typos: Int)] {
        var found: [(term: [UInt8], typos: Int)] = []
        func look(through list: TermList) {
            find(list) { place, typos in
                found.append((list.withBytes(of: place) { Array($0) }, typos))
            }
        }
        if let terms {
            look(through: terms)
            return found
        }
        for range in ranges {
            try Self.forEachBlock(of: range, entries) { block in
                var list = TermList()
                try Self.append(block, to: &list)
                look(through: list)
            }
        }
        found.sort { $0.term.lexicographicallyPrecedes($1.term) }
        // Several segments may have a term.
        return found.indices.filter { $0 == 0 || found[$0 - 1].term != found[$0].term }
            .map { found[$0] }
    }
}
