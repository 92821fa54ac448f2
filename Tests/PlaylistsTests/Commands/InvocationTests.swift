import Testing

@testable import playlists

struct InvocationTests {
    private func run(_ words: [String], _ transcript: Transcript) -> Program.Status {
        Program(console: transcript.console(), input: .lines([])).run(words)
    }

    @Test(arguments: [
        ["add", "Mix", "One", "Two", "--at", "3", "--store", "/m"],
        ["--store=/m", "add", "--at=3", "Mix", "One", "Two"],
        ["add", "--store", "/m", "--at", "3", "--", "Mix", "One", "Two"],
    ])
    func optionsMayStandAnywhere(_ words: [String]) throws {
        let invocation = try Invocation(words)
        #expect(invocation.command == .add)
        #expect(invocation.operands == ["Mix", "One", "Two"])
        #expect(invocation.options == [.store: "/m", .at: "3"])
        #expect(try invocation.at() == 3)
    }

    @Test func whatIsNoOptionIsAnOperand() throws {
        #expect(try Invocation(["new", "--", "--at"]).operands == ["--at"])
        #expect(try Invocation(["search", "-"]).operands == ["-"])
        #expect(try Invocation(["show", "-5"]).operands == ["-5"])
    }

    @Test(
        arguments: [
            ([], "No command."),
            (["impot", "x"], "There is no command \"impot\"."),
            (["top"], "top needs KEY."),
            (["top", "artists", "--sort", "year"], "top has no option --sort here."),
            (["list", "--at", "3"], "list has no option --at here."),
            (["tour", "--store", "x"], "tour has no option --store here."),
            (["list", "--loud"], "There is no option --loud."),
            (["list", "--store"], "--store needs a value after it."),
            (["list", "--store", "a", "--store", "b"], "--store is given twice."),
            (["list", "--help=yes"], "There is no option --help=yes."),
            (["import"], "import needs FILE…."),
            (["add", "Mix"], "add needs SONG…."),
            (["move", "Mix", "1"], "move needs TO."),
            (["new", "Long", "Drive"], "new does not take \"Drive\"."),
            (["list", "a", "b"], "list does not take \"b\"."),
            (["save"], "save works inside of: playlists shell"),
        ] as [([String], String)])
    func aLineThatIsNotUnderstoodSaysWhy(_ words: [String], _ reason: String) throws {
        let error = try #require(throws: UsageError.self) { try Invocation(words) }
        #expect(error.description.hasPrefix(reason), "\(error)")
        let transcript = Transcript()
        #expect(run(words, transcript) == .notUnderstood)
        #expect(transcript.output.isEmpty && transcript.messages.hasPrefix("playlists: \(reason)"))
    }

    @Test func theShellKnowsItsOwnCommandsAndTakesNoOtherStore() throws {
        #expect(try Invocation(["undo"], inShell: true).command == .undo)
        for words in [["shell"], ["tour"], ["list", "--store", "x"]] {
            #expect(throws: UsageError.self) { try Invocation(words, inShell: true) }
        }
    }

    @Test(arguments: ["0", "-1", "x", "", "1.5", "99999999999999999999"])
    func placesAreWholeNumbersFromOne(_ text: String) throws {
        let invocation = try Invocation(["add", "--at=\(text)", "a", "b"])
        #expect(throws: UsageError.self) { try invocation.at() }
        let move = try Invocation(["move", "Mix", "2", "--", text])
        #expect(try move.place(1) == 2)
        #expect(throws: UsageError.self) { try move.place(2) }
    }

    @Test(arguments: ["-1", "x", "", "99999999999999999999"])
    func aLimitIsAWholeNumberFromZero(_ text: String) throws {
        #expect(throws: UsageError.self) { try Invocation(["list", "--limit=\(text)"]).limit() }
        #expect(try Invocation(["list", "--limit", "0"]).limit() == 0)
        #expect(try Invocation(["list"]).limit() == nil)
    }

    @Test(arguments: Command.allCases)
    func everyCommandHasHelpThatNamesAllItTakes(_ command: Command) throws {
        #expect(try Invocation([command.rawValue, "--help"]).wantsHelp)
        let help = command.help.joined(separator: "\n")
        #expect(help.hasPrefix("Usage: playlists \(command.rawValue)"))
        for operand in command.usage.operands { #expect(help.contains(operand)) }
        for option in command.usage.options { #expect(help.contains(option.rawValue)) }
        #expect(command.help.allSatisfy { $0.count <= 100 })
        for (lines, isThere) in [
            (Command.programHelp, command.isInProgram), (Command.shellHelp, command.isInShell),
        ] {
            #expect(lines.contains { $0.hasPrefix("  \(command.synopsis): ") } == isThere)
        }
    }

    @Test(arguments: [["--help"], ["-h"], ["help"]])
    func helpWithoutACommandIsAboutTheProgram(_ words: [String]) throws {
        let transcript = Transcript()
        #expect(run(words, transcript) == .done)
        #expect(transcript.output.hasPrefix("Keeps songs and playlists in a store.\n"))
    }
}
