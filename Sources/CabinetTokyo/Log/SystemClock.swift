import CLibrary

enum SystemClock {
    /// Microseconds since 1970-01-01 00:00 UTC.
    static func microseconds() -> UInt64 {
        var time = timespec()
        guard clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
}
