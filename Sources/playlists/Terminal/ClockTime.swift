/// Seconds as people read them.
enum ClockTime {
    /// `3:45`, or `1:02:03` from an hour on.
    static func text(_ seconds: some BinaryInteger) -> String {
        let total = UInt64(clamping: seconds)
        let (hours, minutes, rest) = (total / 3600, total / 60 % 60, total % 60)
        let end = rest < 10 ? "0\(rest)" : "\(rest)"
        if hours == 0 { return "\(minutes):\(end)" }
        return "\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(end)"
    }
}
