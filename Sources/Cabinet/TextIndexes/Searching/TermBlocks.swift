import CabinetBackend
import CabinetTextSearch

/// The terms of some segments in their order, as a walk that seeks asks for them. Blocks of terms are read
/// once while the walk stays within them.
struct TermBlocks {
    /// A block of terms of one segment.
    private struct Block {
        var terms = TermList()
        /// The key that it was read for: no term between that and the first one is missing.
        var lower: [UInt8] = []
    }

    private let entries: TextEntries
    private let segments: [UInt32]
    private var blocks: [UInt32: Block] = [:]

    init(_ entries: TextEntries, _ segments: [UInt32]) {
        self.entries = entries
        self.segments = segments
    }

    /// Makes `term` the first term that is not before `key`; `false` if there is none.
    mutating func first(from key: [UInt8], into term: inout [UInt8]) throws -> Bool {
        var best: [UInt8]?
        for segment in segments {
            guard let found = try first(from: key, in: segment) else { continue }
            if best.map({ found.lexicographicallyPrecedes($0) }) ?? true { best = found }
        }
        if let best { term = best }
        return best != nil
    }

    private mutating func first(from key: [UInt8], in segment: UInt32) throws -> [UInt8]? {
        if let block = blocks[segment], !key.lexicographicallyPrecedes(block.lower),
            let term = block.terms.first(from: key)
        {
            return term
        }
        let block = try read(segment, from: key)
        blocks[segment] = block
        return block.terms.first(from: key)
    }

    /// The block that `key` is in, and what follows up to the first term that is not before it.
    private func read(_ segment: UInt32, from key: [UInt8]) throws -> Block {
        let all = KeyRange(prefix: TextKeys.key(.terms, segment))
        var range = all
        let wanted = key.withUnsafeBytes { TextKeys.terms(segment, from: $0) }
        if let found = try entries.lastKey(of: KeyRange(from: all.lower, to: wanted + [0])) {
            range.lower = found
        }
        var block = Block()
        block.lower = key
        try entries.forEach(range) { _, value in
            _ = try TermBlock.forEachTerm(in: value) { term, _ in
                block.terms.append(term)
                return true
            }
            return block.terms.first(from: key) == nil
        }
        return block
    }
}

extension TermList {
    /// The first term that is not before `key`.
    fileprivate func first(from key: [UInt8]) -> [UInt8]? {
        let place = place(of: key)
        return place < count ? withBytes(of: place) { Array($0) } : nil
    }
}
