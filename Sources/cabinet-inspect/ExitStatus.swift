/// What the program ends with.
enum ExitStatus: Int32, CaseIterable, Sendable {
    /// Done, and nothing is wrong.
    case sound = 0
    /// Done, but something is wrong, or was lost.
    case findings = 1
    /// It could not be done.
    case failed = 2
    /// The command line was not understood. The number is that of sysexits.h.
    case notUnderstood = 64
    /// Another program uses the store. The number is that of sysexits.h.
    case inUse = 75

    var help: String {
        switch self {
        case .sound: "done, and nothing is wrong"
        case .findings: "done, but something is wrong, or was lost"
        case .failed: "it could not be done"
        case .notUnderstood: "the command line was not understood"
        case .inUse: "another program uses the store"
        }
    }
}
