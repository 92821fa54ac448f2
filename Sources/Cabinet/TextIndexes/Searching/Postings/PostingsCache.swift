import CabinetBackend
import CabinetTextSearch

/// Postings that searches have read, in a bounded amount of memory: those that were not used for the longest time
/// are let go of.
struct PostingsCache {
    private struct Kept {
        let postings: TermPostings
        let size: Int
        /// When they were used last.
        var use: Int
    }

    /// So many bytes at most.
    let limit: Int
    /// How many bytes the postings take.
    private(set) var size = 0
    private var kept: [TermPattern: Kept] = [:]
    private var uses = 0

    init(limit: Int) { self.limit = limit }

    /// The postings of a pattern; `nil` if they are not kept.
    mutating func postings(of pattern: TermPattern) -> TermPostings? {
        guard let place = kept.index(forKey: pattern) else { return nil }
        uses += 1
        kept.values[place].use = uses
        return kept.values[place].postings
    }

    /// Keeps the postings of a pattern, unless they take more than half of the memory.
    mutating func keep(_ postings: TermPostings, of pattern: TermPattern) {
        let own = postings.size
        guard own <= limit / 2 else { return }
        if size + own > limit { letGoOfOldest() }
        uses += 1
        let former = kept.updateValue(
            Kept(postings: postings, size: own, use: uses), forKey: pattern)
        size += own - (former?.size ?? 0)
    }

    /// Lets go of postings until those that are kept take half of what they may.
    private mutating func letGoOfOldest() {
        for (pattern, old) in kept.inOrder(by: { $0.value.use < $1.value.use }) {
            guard size > limit / 2 else { return }
            kept[pattern] = nil
            size -= old.size
        }
    }
}
