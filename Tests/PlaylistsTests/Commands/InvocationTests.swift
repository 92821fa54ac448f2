import Testing

@testable import playlists

struct InvocationTests {
    /// A program that opens no store.
    private func program(_ transcript: Transcript) -> Program {
        Program(
            console: transcript.console(), input: { nil }, inputIsTerminal: false,
            open: { directory, _ in throw LibraryError.noLibrary(path: directory.path) })
    }

    @Test func optionsMayStandAnywhere() throws {
        let lines = [
            ["add", "Mix", "One", "Two", "--at", "3", "--store", "/m"],
            ["--store=/m", "add", "--at=3", "Mix", "One", "Two"],
            ["add", "--store", "/m", "--at", "3", "--", "Mix", "One", "Two"],
        ]
        for words in lines {
            let invocation = try Invocation(words)
            #expect(invocation.command == .add)
            #expect(invocation.operands == ["Mix", "One", "Two"])
            #expect(invocation.options == [.store: "/m", .at: "3"])
            #expect(try invocation.at() == 3)
        }
    }

    @Test func afterTwoDashesEverythingIsAnOperand() throws {
        let invocation = try Invocation(["new", "--", "--at"])
        #expect(invocation.operands == ["--at"])
    }

    @Test func dashAndNegativeNumbersAreOperands() throws {
        #expect(try Invocation(["search", "-"]).operands == ["-"])
        #expect(try Invocation(["show", "-5"]).operands == ["-5"])
    }

    @Test(
        arguments: [
            ([], .noCommand),
            (["impot", "x"], .unknownCommand("impot", nearest: "import")),
            (["undelete"], .unknownCommand("undelete", nearest: nil)),
            (["list", "--at", "3"], .unknownOption("--at")),
            (["list", "--loud"], .unknownOption("--loud")),
            (["list", "-x"], .unknownOption("-x")),
            (["list", "--store"], .noValue(option: "--store")),
            (["list", "--store", "a", "--store", "b"], .optionTwice("--store")),
            (["list", "--help=yes"], .needlessValue(option: "--help")),
            (["import"], .missing(operand: "FILE…", command: "import")),
            (["add", "Mix"], .missing(operand: "SONG…", command: "add")),
            (["move", "Mix", "1"], .missing(operand: "TO", command: "move")),
            (["new", "Long", "Drive"], .tooMany(command: "new", first: "Drive")),
            (["list", "a", "b"], .tooMany(command: "list", first: "b")),
            (["info", "a"], .tooMany(command: "info", first: "a")),
            (["undo"], .onlyInShell(command: "undo")),
        ] as [([String], UsageError)])
    func aLineThatIsNotUnderstoodSaysWhy(_ words: [String], _ error: UsageError) {
        #expect(throws: error) { try Invocation(words) }
    }

    @Test func theShellKnowsItsOwnCommands() throws {
        #expect(try Invocation(["undo"], inShell: true).command == .undo)
        #expect(throws: UsageError.notInShell(command: "shell")) {
            try Invocation(["shell"], inShell: true)
        }
    }

    @Test(arguments: ["0", "-1", "x", "", "1.5", "99999999999999999999"])
    func placesAreWholeNumbersFromOne(_ text: String) throws {
        let invocation = try Invocation(["add", "--at=\(text)", "a", "b"])
        #expect(throws: UsageError.badNumber(text, name: "--at")) { try invocation.at() }
        let move = try Invocation(["move", "Mix", "2", "--", text])
        #expect(try move.place(1) == 2)
        #expect(throws: UsageError.badNumber(text, name: "TO")) { try move.place(2) }
    }

    @Test(arguments: Command.allCases)
    func everyCommandHasHelpThatNamesAllItTakes(_ command: Command) throws {
        let invocation = try Invocation([command.rawValue, "--help"])
        #expect(invocation.wantsHelp)
        let help = HelpText.lines(for: command).joined(separator: "\n")
        #expect(help.hasPrefix("Usage: playlists \(command.rawValue)"))
        for operand in command.usage.operands { #expect(help.contains(operand)) }
        for option in command.usage.options { #expect(help.contains(option.rawValue)) }
        #expect(help.contains("--store DIR"))
        #expect(HelpText.lines(for: command).allSatisfy { $0.count <= 100 })
        for operand in command.usage.operands.dropLast() {
            #expect(operand.allSatisfy { $0.isUppercase })
        }
    }

    @Test func helpNamesEveryCommandWhereItWorks() {
        let program = HelpText.program.joined(separator: "\n")
        // It said that nothing is kept until "save", and then that "quit" saves.
        let saving = HelpText.lines(for: .shell).joined(separator: " ")
        #expect(saving.contains(#"at "save", at "quit", and at the end of the input."#))
        #expect(!saving.contains("Nothing is kept"))
        let shell = HelpText.shell.joined(separator: "\n")
        for command in Command.allCases {
            let row = "\n  \(command.synopsis): "
            #expect(program.contains(row) == (command.place != .onlyInShell))
            #expect(("\n" + shell).contains(row) == (command.place != .notInShell))
        }
    }

    @Test(arguments: [["--help"], ["-h"], ["help"]])
    func helpWithoutACommandIsAboutTheProgram(_ words: [String]) throws {
        let invocation = try Invocation(words)
        #expect(invocation.wantsHelp && invocation.command == nil)
        let transcript = Transcript()
        #expect(program(transcript).run(words) == .done)
        #expect(transcript.output.hasPrefix("Keeps songs and playlists in a store.\n"))
    }

    @Test func aMistakeGoesToTheMessagesAndTheStatus() {
        let transcript = Transcript()
        #expect(program(transcript).run(["lst"]) == .notUnderstood)
        #expect(transcript.output.isEmpty)
        #expect(
            transcript.messages
                == "playlists: There is no command \"lst\". Did you mean \"list\"?\n")
    }
}
