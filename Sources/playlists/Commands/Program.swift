import Cabinet
import CabinetTools
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

    /// Does what the command line says; without ``Command/watch``, which waits for others.
    func run(_ words: [String]) -> Status {
        do { try perform(Invocation(words)) } catch { return status(of: error) }
        return outputStatus
    }

    /// Does what the command line says.
    @MainActor func runOrWatch(_ words: [String]) async -> Status {
        guard let invocation = try? Invocation(words), invocation.command == .watch,
            !invocation.wantsHelp
        else { return run(words) }
        do {
            let session = try open(invocation, for: .watch)
            try await session.watch(invocation)
            try session.close()
        } catch { return status(of: error) }
        return outputStatus
    }

    private func status(of error: any Error) -> Status {
        console.complain(error, as: "playlists")
        return error is UsageError || error is StoreAddressError ? .notUnderstood : .failed
    }

    private var outputStatus: Status {
        guard let failure = console.failure else { return .done }
        console.say("playlists: The output could not be written. \(failure.localizedDescription)")
        return .notWritten
    }

    private func open(_ invocation: Invocation, for command: Command) throws -> Session {
        let address: StoreAddress =
            try invocation.options[.store].map { text in try StoreAddress(text) }
            ?? Library.defaultAddress
        let isShell = command == .shell
        guard let file = try Library.file(at: address, for: command.opening) else {
            return Session(
                try Library.open(address, for: command.opening), on: console, isShell: isShell)
        }
        let session = Session(file.store, of: file, on: console, isShell: isShell)
        session.offerUnsavedEdits()
        return session
    }

    private func perform(_ invocation: Invocation) throws {
        guard let command = invocation.command, !invocation.wantsHelp else {
            return console.print(invocation.command?.help ?? Command.programHelp)
        }
        if command == .tour { return try Tour(console: console).run() }
        let session = try open(invocation, for: command)
        if command.opening != .reading { session.buildIndexes() }
        // What is imported without the shell is no step, which would have a copy of it.
        if command.opening != .reading, command != .importing {
            session.store.undoHistory.survivesRelaunch = true
        }
        do {
            if command == .shell {
                try Shell(session, input: input).run()
            } else {
                try session.run(invocation)
            }
        } catch {
            // What failed counts, not what closing has to say after it.
            try? session.close()
            throw error
        }
        try session.close()
    }
}
