import CSystem
import CabinetBackend

/// The process that made something. A process forked from it has a copy of everything, but must not
/// touch the files: the parent process goes on using them.
struct ProcessMark: Hashable, Sendable {
    private let number = cabinet_process_number()

    /// Whether this is still that process. One load, as every read asks.
    @inline(__always)
    var isCurrent: Bool { cabinet_process_mark() == number }
}
