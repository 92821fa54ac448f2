/// How the records of one class came into memory since the store was opened.
struct ReadCounts {
    /// Faults that were read one by one, each when it was touched.
    private(set) var faults = 0
    /// Records that fetches and walks gave.
    private(set) var walked = 0
    /// Faults that were read ahead, many in one pass.
    private(set) var prefetched = 0
    /// How often many faults were read one by one at a stretch.
    private(set) var bursts = 0

    /// So many faults of a class within ``burstTime``, without a fetch, are a burst: a loop.
    static let burstCount = 50
    static let burstTime = Duration.seconds(1)

    /// Tells the time; another one for tests, whose machine may be of any speed.
    var now: () -> ContinuousClock.Instant = { .now }

    private var atStretch = 0
    private var start = ContinuousClock.now
    private var isBurst = false

    /// Counts a fault that was read alone. `true` if it makes a burst clear: once each. The clock
    /// is asked twice for ``burstCount`` faults.
    mutating func noteFault() -> Bool {
        faults += 1
        if atStretch == 0 { start = now() }
        atStretch += 1
        guard atStretch == Self.burstCount else { return false }
        atStretch = 0
        let wasBurst = isBurst
        isBurst = now() - start < Self.burstTime
        guard isBurst, !wasBurst else { return false }
        bursts += 1
        return true
    }

    mutating func noteWalk(of count: Int) {
        walked += count
        endStretch()
    }

    mutating func notePrefetch(of count: Int) {
        prefetched += count
        endStretch()
    }

    private mutating func endStretch() {
        atStretch = 0
        isBurst = false
    }
}
