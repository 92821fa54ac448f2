import CSystem
import CabinetBackend

/// The process that made something. A process forked from it has a copy of everything, in which
/// nothing may be done to files: they are those of the parent, who goes on using them.
struct ProcessMark: Hashable, Sendable {
    private let number = cabinet_process_number()

    /// Whether this is still that process. One load, as every read asks.
    @inline(__always)
    var isCurrent: Bool { cabinet_process_mark() == number }
}
