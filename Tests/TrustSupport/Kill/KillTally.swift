/// What was found over many kills.
package struct KillTally: Sendable {
    package var kills = 0
    package var acknowledged = 0
    package var recoveries = 0
    package var inFlightKept = 0
    /// In microseconds.
    package var longestRecovery = 0
    package var losses: [String] = []

    package init() {}

    package mutating func add(_ other: KillTally) {
        kills += other.kills
        acknowledged += other.acknowledged
        recoveries += other.recoveries
        inFlightKept += other.inFlightKept
        longestRecovery = max(longestRecovery, other.longestRecovery)
        losses += other.losses
    }

    package var description: String {
        "kills \(kills), acknowledged saves \(acknowledged), recoveries \(recoveries), "
            + "saves in flight that were kept \(inFlightKept), losses \(losses.count), "
            + "longest recovery \(longestRecovery) µs"
    }
}
