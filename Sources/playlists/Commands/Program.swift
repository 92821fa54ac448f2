import Cabinet
import Foundation

/// The program as a value: everything it needs of the world, and nothing else.
struct Program {
    /// Exit statuses, those of sysexits.h where it has one.
    enum Status: Int32 {
        case done = 0
        case failed = 1
        case notUnderstood = 64
        case notWritten = 74
    }

    let console: Console
    /// The lines of a shell.
    let input: LineInput

    /// Does what the command line says.
    func run(_ words: [String]) -> Status {
        do {
            try perform(Invocation(words))
        } catch {
            console.complain(error, as: "playlists")
            return error is UsageError ? .notUnderstood : .failed
        }
        guard let failure = console.failure else { return .done }
        console.say("playlists: The output could not be written. \(failure.localizedDescription)")
        return .notWritten
    }

    private func perform(_ invocation: Invocation) throws {
        guard let command = invocation.command, !invocation.wantsHelp else {
            return console.print(invocation.command?.help ?? Command.programHelp)
        }
        if command == .tour { return try Tour(console: console).run() }
        let directory =
            invocation.options[.store].map { URL(filePath: $0, directoryHint: .isDirectory) }
            ?? Library.defaultDirectory
        let session = Session(
            try Library.open(directory, for: command.opening), on: console,
            isShell: command == .shell)
        if command.opening != .reading { session.buildIndexes() }
        do {
            if command == .shell {
                try Shell(session, input: input).run()
            } else {
                try session.run(invocation)
            }
        } catch {
            // What failed counts, not what closing has to say after it.
            try? session.store.close()
            throw error
        }
        try session.store.close()
    }
}
