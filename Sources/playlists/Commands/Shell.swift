import Cabinet

/// Commands read line by line, from a person or from a pipe.
///
/// A person sees a prompt, and may try again after a mistake. A pipe stops at the first mistake:
/// what it changed since its last `save` is not kept.
struct Shell {
    /// A mistake in a line of a pipe.
    struct Stop: Error, CustomStringConvertible {
        let line: Int
        let cause: any Error

        var description: String {
            "Line \(line): \(cause)\nStopped there. Changes since the last save are not kept."
        }
    }

    private let session: Session
    private let input: () -> String?
    private let isInteractive: Bool

    /// - Parameter input: gives the next line without its end, `nil` at the end.
    init(_ session: Session, isInteractive: Bool, input: @escaping () -> String?) {
        self.session = session
        self.isInteractive = isInteractive
        self.input = input
        session.store.undoHistory.isEnabled = true
    }

    /// Works until `quit` or the end of the input, and saves.
    ///
    /// - Throws: ``Stop``, or what the last save throws.
    func run() throws {
        if isInteractive { session.console.say("Commands: help, quit.") }
        var number = 0
        while let line = nextLine() {
            number += 1
            do {
                if try perform(line) { continue }
                try session.store.save()
                return
            } catch {
                guard isInteractive else { throw Stop(line: number, cause: error) }
                session.console.complain(error)
            }
        }
        if isInteractive { session.console.say("") }
        try session.store.save()
    }

    /// Does what one line says.
    ///
    /// - Returns: whether to go on.
    func perform(_ line: String) throws -> Bool {
        let words = try ShellWords.split(line)
        guard let first = words.first else { return true }
        if first == "quit" || first == "exit" { return false }
        let invocation = try Invocation(words, inShell: true)
        if invocation.wantsHelp {
            session.console.print(invocation.command?.help ?? Command.shellHelp)
        } else {
            try session.run(invocation)
        }
        return true
    }

    private func nextLine() -> String? {
        if isInteractive {
            let mark = session.store.hasChanges ? "*" : ""
            session.console.write("playlists\(mark)> ", to: .messages)
        }
        return input()
    }
}
