import Foundation

extension Date {
    /// The date for people: its `description`, or the seconds since 2001 where that traps, as for
    /// infinite ones.
    var text: String {
        let seconds = timeIntervalSinceReferenceDate
        return abs(seconds) < 1e12 ? description : "\(seconds)"
    }
}
