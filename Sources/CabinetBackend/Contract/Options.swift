import CLibrary

/// How safe a save is when it has returned.
public enum Durability: UInt8, Hashable, Sendable {
    /// A power cut loses nothing that was acknowledged. One sync a save; saves of several threads
    /// that wait at the same time share one.
    case full = 1
    /// A killed process loses nothing. A power cut may lose the last saves, never a half of one.
    /// No sync until `sync()` or closing.
    case process = 2
}

/// What a store is opened for.
public enum Access: Hashable, Sendable {
    /// Reading and saving; one program at a time, beside any number that read.
    case readWrite
    /// Reading only; any number of programs at a time, each once, and no file changes. Another
    /// program may write meanwhile, whichever came first: reads are of the commits that it had made
    /// when the store was opened, and ``Backend/refresh()`` takes up later ones.
    case readOnly
}

/// Receives messages of an engine or a store about events that are no errors: a recovery, a
/// repaired record, a reference that led nowhere.
public struct LogSink: Sendable {
    /// How much a message matters.
    public enum Level: Int, Comparable, Sendable {
        /// Detail for work on Cabinet itself.
        case debug
        /// Something out of the ordinary that went well, such as a recovery.
        case notice
        /// The author or the user of the program should look at it.
        case warning
        /// Something was lost or could not be done.
        case error

        public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    private let least: Level
    private let body: (@Sendable (Level, String) -> Void)?

    /// - Parameters:
    ///   - least: messages that matter less are not made.
    ///   - body: may be called from any thread, and must not call into the store.
    public init(
        from least: Level = .debug,
        _ body: @escaping @Sendable (_ level: Level, _ message: String) -> Void
    ) {
        (self.least, self.body) = (least, body)
    }

    private init() { (least, body) = (.error, nil) }

    /// Messages go nowhere, and are not made.
    public static let none = LogSink()

    /// Warnings and errors are lines of the program's standard error: what is lost is said, unless a
    /// program chooses otherwise.
    public static let standardError = LogSink(from: .warning) { level, message in
        var line = "Cabinet: \(level): \(message)\n"
        // One call a line. One that fails has nobody to tell.
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Sends `message`, which is made only then.
    public func callAsFunction(_ level: Level, _ message: @autoclosure () -> String) {
        if let body, level >= least { body(level, message()) }
    }
}
