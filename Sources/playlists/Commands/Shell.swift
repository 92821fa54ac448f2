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
    private let input: LineInput

    init(_ session: Session, input: LineInput) {
        self.session = session
        self.input = input
        session.store.undoHistory.survivesRelaunch = true
        // A pipe expects each line to be done before the next.
        if input.isInteractive { session.imports = BackgroundImports(session.store.container) }
    }

    /// Works until `quit` or the end of the input, and saves.
    ///
    /// - Throws: ``Stop``, or what the last save throws.
    func run() throws {
        if input.isInteractive { session.console.say("Commands: help, quit.") }
        var number = 0
        while let line = nextLine() {
            number += 1
            do {
                if try perform(line) {
                    try catchUp()
                    continue
                }
                return try finish()
            } catch {
                guard input.isInteractive else { throw Stop(line: number, cause: error) }
                session.console.complain(error)
            }
        }
        if input.isInteractive { session.console.say("") }
        try finish()
    }

    /// Says how far imports are, and takes up those that have ended.
    private func catchUp() throws {
        guard let imports = session.imports else { return }
        let reports = imports.takeReports()
        if !reports.isEmpty { try session.store.refresh() }
        for report in reports {
            for line in report.lines {
                if report.isFailure {
                    session.console.complain(line)
                } else {
                    session.console.print(line)
                }
            }
        }
        for line in imports.progress { session.console.say("Importing \(line).") }
    }

    private func finish() throws {
        session.imports?.wait()
        try session.saveAll()
        try catchUp()
    }

    /// Does what one line says. Returns whether to go on.
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
        input.next("playlists\(session.isEdited ? "*" : "")> ") { line in
            let playlists = try? session.store.objects(of: Playlist.self)
            return Completion.lines(from: line, playlists: playlists?.map(\.title) ?? [])
        }
    }
}
