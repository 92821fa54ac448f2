/// Which runs of a table to merge: a pure function of their sizes.
///
/// Size-tiered, as in the LSM trees of LevelDB's kind: a level holds runs of one order of
/// magnitude, and four neighbours of a level or below become one run. So a table of n bytes has at
/// most three runs a level, of log₄ n levels, and each byte is written once a level.
enum MergePolicy {
    /// This many runs of a level are merged.
    static let fanOut = 4
    /// Smaller runs count as of the lowest level: 256 KiB.
    static let smallest: UInt64 = 256 << 10

    /// The runs to merge next, by their indexes in `sizes`, which go from the oldest to the newest;
    /// `nil`: there are few enough.
    static func next(_ sizes: [UInt64]) -> Range<Int>? {
        guard sizes.count >= fanOut else { return nil }
        let levels = sizes.map(level)
        for level in 0...(levels.max() ?? 0) {
            var start = 0
            while start < levels.count {
                guard levels[start] <= level else {
                    start += 1
                    continue
                }
                var end = start
                var ofLevel = 0
                while end < levels.count, levels[end] <= level {
                    if levels[end] == level { ofLevel += 1 }
                    end += 1
                }
                if ofLevel >= fanOut { return start..<end }
                start = end
            }
        }
        return nil
    }

    /// The lowest level is 0; each holds runs of four times the size of the one below.
    static func level(_ size: UInt64) -> Int {
        var level = 0
        var limit = smallest
        while size > limit, limit < .max / 4 {
            limit *= 4
            level += 1
        }
        return level
    }
}
