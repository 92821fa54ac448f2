#if SQLite
    import CLibrary
    import CSQLite

    /// Waits for others who write. SQLite's own way to wait sleeps for up to a tenth of a second at a time, in
    /// which those who come later are served first.
    ///
    /// Not `Sendable`: it belongs to one connection.
    final class SQLitePatience {
        private let limit: UInt64
        private var began: UInt64 = 0

        /// - Parameter milliseconds: how long to wait.
        init(milliseconds: Int64) { limit = UInt64(clamping: milliseconds) * 1_000_000 }

        /// Has the connection wait this way. It must not outlive this.
        func serve(_ connection: OpaquePointer) {
            sqlite3_busy_handler(
                connection,
                { context, count in
                    guard let context else { return 0 }
                    let patience = Unmanaged<SQLitePatience>.fromOpaque(context)
                        .takeUnretainedValue()
                    return patience.wait(before: count) ? 1 : 0
                }, Unmanaged.passUnretained(self).toOpaque())
        }

        /// A wait begins now; the first attempt to end it has the number 1.
        func begin() { began = Self.now() }

        /// - Parameter attempt: how often it has waited for the same lock; a wait begins with 0.
        /// - Returns: `false`: no longer.
        func wait(before attempt: Int32) -> Bool {
            let now = Self.now()
            if attempt == 0 { began = now }
            guard now - began < limit else { return false }
            // From a tenth of a millisecond to some, never in step with others.
            let most = Int.random(in: 100_000...min(200_000 << Int(min(attempt, 5)), 5_000_000))
            var time = timespec(tv_sec: 0, tv_nsec: most)
            nanosleep(&time, nil)
            return true
        }

        private static func now() -> UInt64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
    }
#endif
