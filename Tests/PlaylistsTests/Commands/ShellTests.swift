import Cabinet
import Testing

@testable import playlists

struct ShellTests {
    private let transcript = Transcript()
    private let session: Session

    init() throws {
        session = Session(
            try Store(inMemory: Library.classes), on: transcript.console(), isShell: true)
        _ = try session.library.take(Fixtures.library())
        try session.store.save()
    }

    private func run(_ lines: [String], isInteractive: Bool = false) throws {
        let console = session.console
        let input = LineInput.lines(lines, isInteractive: isInteractive) {
            console.write($0, to: .messages)
        }
        try Shell(session, input: input).run()
    }

    private func titles() throws -> [String] {
        try session.library.listing().playlists.map(\.title)
    }

    @Test func undoAndRedoGoThroughTheSteps() throws {
        let before = try session.library.listing()
        try run(["delete-song 'Cloud Only'", "rename 'Late Hours' Late", "undo", "undo"])
        #expect(try session.library.listing() == before)
        try run(["delete-song @4", "undo", "redo"])
        #expect(try session.library.listing().playlists[0].songs == [2])
    }

    @Test func aWholeImportIsOneStep() throws {
        let library = try Fixtures.path("Library.xml")
        try run(["delete-song @4", "delete-song @2", "import '\(library)'", "undo"])
        #expect(try session.library.listing().songs.map(\.row) == [3])
        #expect(try titles() == ["Late Hours", "Most Played", "Nothing Yet"])
        try run(["redo"])
        #expect(try session.library.listing().songs.count == 3)
    }

    @Test func undoSaysWhatItTookBack() throws {
        try run(["new A", "undo", "redo", "undo", "undo"])
        #expect(
            transcript.output
                == "Made \"A\" (@5).\nTook back: new A\nDid again: new A\nTook back: new A\n"
                + "Nothing to take back.\n")
    }

    @Test func historyShowsWhichCommandHasChangedASong() throws {
        try run(["delete-song @4", "save", "undo", "save", "history @4"])
        let lines = transcript.output.split(separator: "\n").suffix(3)
        try #require(lines.count == 3)
        #expect(lines[lines.startIndex].hasSuffix("is new"))
        #expect(lines[lines.startIndex + 1].hasSuffix("was deleted  delete-song @4"))
        #expect(lines[lines.startIndex + 2].hasSuffix("is new  taken back: delete-song @4"))
    }

    @Test func theLibraryIsShownAsItWas() throws {
        let song = try session.library.song("@4")
        let then = try #require(try session.store.container.history(of: song).first)
        try run(["list 'Late Hours'"])
        let before = transcript.output
        try run(["delete-song @4", "save", "asof \(then.commit) list 'Late Hours'"])
        #expect(transcript.output.hasSuffix(before))
        #expect(throws: Shell.Stop.self) { try run(["asof \(then.commit) delete-song @2"]) }
        #expect(throws: Shell.Stop.self) { try run(["asof yesterday list"]) }
    }

    @Test func rollbackForgetsWhatWasNotSaved() throws {
        try run(["new A", "save", "new B", "rollback"])
        #expect(try titles() == ["Late Hours", "Most Played", "Nothing Yet", "A"])
        #expect(!session.store.hasChanges)
    }

    @Test(arguments: [["new A"], ["new A", "quit", "new B"], ["new A", "exit"]])
    func theEndSaves(_ lines: [String]) throws {
        try run(lines)
        #expect(!session.store.hasChanges)
        #expect(try titles().last == "A")
    }

    @Test func aPipeStopsAtTheFirstMistakeAndSavesNoMore() throws {
        let error = try #require(throws: Shell.Stop.self) {
            try run(["new A", "save", "new B", "remove B 7", "new C"])
        }
        #expect(error.line == 4)
        #expect(error.cause as? LibraryError == .noSuchPlace(7, playlist: "B", last: 0))
        #expect(session.store.hasChanges)
        session.store.rollback()
        #expect(try titles().last == "A")
    }

    @Test func aPersonMayTryAgain() throws {
        try run(["nwe A", "new 'A", "new A", "new A", "undo now"], isInteractive: true)
        #expect(try titles().last == "A")
        #expect(transcript.messages.contains("There is no command \"nwe\"."))
        #expect(transcript.messages.contains("A quote is opened and not closed."))
        #expect(transcript.messages.contains("There is a playlist \"A\" already."))
        #expect(transcript.messages.contains("playlists*> "))
    }

    @Test func linesWithNothingInThemAreNothing() throws {
        try run(["", "   ", "# a comment"])
        #expect(transcript.output.isEmpty)
    }

    @Test func helpIsThere() throws {
        try run(["help", "help move", "move --help"])
        #expect(transcript.output.contains("\n  undo"))
        #expect(transcript.output.components(separatedBy: "Usage: playlists move").count == 3)
    }

    @Test func aPersonsImportRunsBesideTheShell() throws {
        let path = try Fixtures.path("Library.xml")
        let session = Session(
            try Store(inMemory: Library.classes), on: transcript.console(), isShell: true)
        let input = LineInput.lines(
            ["new Mine", "import '\(path)'", "rename Mine Ours"], isInteractive: true
        ) { _ in }
        try Shell(session, input: input).run()
        let expected = try Fixtures.library().playlists.map(\.title)
        #expect(
            try Set(session.library.listing().playlists.map(\.title)) == Set(expected + ["Ours"]))
        #expect(!session.store.hasChanges && transcript.output.contains("Library.xml: "))
        // The import is no step of the shell, and what it saved stays.
        session.store.rollback()
        #expect(try !session.store.objects(of: Song.self).isEmpty)
    }

    @Test func anImportThatFailsBesideTheShellIsReported() throws {
        let bad = try Fixtures.path("Library.xml") + ".none"
        try run(["import '\(bad)'", "new A"], isInteractive: true)
        #expect(try titles().contains("A"))
        #expect(transcript.messages.contains("none"))
    }
}
