import Foundation

extension Date {
    /// The date for people: its `description`, or the seconds since 2001 where that traps, as they are
    /// infinite, no number, or too many for a calendar.
    var text: String {
        let seconds = timeIntervalSinceReferenceDate
        return abs(seconds) < 1e12 ? description : "\(seconds)"
    }
}
