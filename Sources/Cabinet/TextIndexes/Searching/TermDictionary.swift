import CabinetBackend

/// The terms of a text index in their order, as a walk that seeks asks for them. Blocks of terms are read
/// once while the walk stays within them.
struct TermDictionary {
    /// A block of terms of one segment.
    private struct Block {
        var terms: [[UInt8]] = []
        /// The key that it was read for: no term between that and the first one is missing.
        var lower: [UInt8] = []
    }

    private let snapshot: TextSnapshot
    private var blocks: [UInt32: Block] = [:]

    init(_ snapshot: TextSnapshot) { self.snapshot = snapshot }

    /// The first term that is not before `key`; `nil` if there is none.
    mutating func first(from key: [UInt8]) throws -> [UInt8]? {
        var best: [UInt8]?
        for head in snapshot.segments {
            guard let term = try first(from: key, in: head.number) else { continue }
            if best.map({ term.lexicographicallyPrecedes($0) }) ?? true { best = term }
        }
        return best
    }

    private mutating func first(from key: [UInt8], in segment: UInt32) throws -> [UInt8]? {
        if let block = blocks[segment], !key.lexicographicallyPrecedes(block.lower),
            let term = block.terms.first(notBefore: key)
        {
            return term
        }
        let block = try read(segment, from: key)
        blocks[segment] = block
        return block.terms.first(notBefore: key)
    }

    /// The block that `key` is in, and what follows up to the first term that is not before it.
    private func read(_ segment: UInt32, from key: [UInt8]) throws -> Block {
        let all = KeyRange(prefix: TextKeys.key(.terms, segment))
        var range = all
        let sought = key.withUnsafeBytes { TextKeys.terms(segment, from: $0) }
        let cursor = try snapshot.reader.entries(
            in: snapshot.table, range: KeyRange(from: all.lower, to: sought + [0]),
            descending: true)
        let run = EntryRun()
        if try cursor.next(run, limit: 1), let (found, _) = run.next() {
            range.lower = Array(found)
        }
        var block = Block()
        block.lower = key
        try snapshot.forEach(range) { _, value in
            _ = try TermBlock.forEachTerm(in: value) { term, _ in
                block.terms.append(Array(term))
                return true
            }
            return block.terms.last.map { $0.lexicographicallyPrecedes(key) } ?? true
        }
        return block
    }
}

extension [[UInt8]] {
    /// The first of sorted terms that is not before `key`.
    fileprivate func first(notBefore key: [UInt8]) -> [UInt8]? {
        var (lower, upper) = (0, count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if self[middle].lexicographicallyPrecedes(key) {
                lower = middle + 1
            } else {
                upper = middle
            }
        }
        return lower < count ? self[lower] : nil
    }
}
