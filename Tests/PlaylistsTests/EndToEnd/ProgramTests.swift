import Cabinet
import Foundation
import Testing

@testable import playlists

/// The program as a person runs it: every command opens the store in a directory and closes it.
struct ProgramTests {
    @Test func whatOneCommandDidTheNextOneFinds() throws {
        try Place.temporary { place in
            let library = try Fixtures.path("Library.xml")
            #expect(place.run("import '\(library)'").status == .done)
            #expect(place.run("add 'Nothing Yet' 'Cloud Only' 木曜日 'Cloud Only'").status == .done)
            #expect(place.run("move 'Nothing Yet' 2 1").status == .done)
            let export = place.run("export").output
            #expect(export.contains(#"{"row":4,"songs":[3,4,4],"title":"Nothing Yet"}"#))
            #expect(place.run("delete-song 'Cloud Only'").status == .done)
            #expect(
                place.run("export 'Nothing Yet'").output.contains(
                    #""songs":[3],"title":"Nothing Yet""#))
        }
    }

    @Test func importingAgainDoublesNothing() throws {
        try Place.temporary { place in
            let library = try Fixtures.path("Library.xml")
            _ = place.run("import '\(library)'")
            let before = place.run("export").output
            let again = place.run("import '\(library)'")
            #expect(again.output.hasPrefix("Library.xml: 3 songs (0 new)"))
            #expect(place.run("export").output == before)
        }
    }

    @Test func aFileIsImportedAsAWholeOrNotAtAll() throws {
        try Place.temporary { place in
            let good = try Fixtures.path("Library.xml")
            let bad = place.directory.appending(path: "cut.xml").path
            _ = place.run("new Before")
            let wrong = "<key>Name</key><string>Good</string><key>Year</key><integer>1969"
            try Data(Fixtures.library(ofTrack: wrong).utf8).write(to: URL(filePath: bad))
            let outcome = place.run("import '\(good)' '\(bad)'")
            #expect(outcome.status == .failed)
            #expect(outcome.messages.contains("cut.xml, line "))
            #expect(place.run("search Good").output == "0 songs and 0 playlists found.\n")
            #expect(place.run("list").output.hasSuffix("4 playlists, 3 songs.\n"))
        }
    }

    @Test(arguments: ["list", "show x", "search x", "export", "info", "rename a b", "upgrade"])
    func withoutALibraryTheWayToOneIsShown(_ line: String) throws {
        try Place.temporary { place in
            let outcome = place.run(line)
            #expect(outcome.status == .failed)
            #expect(outcome.messages.hasSuffix("Begin with: playlists import FILE\n"))
            #expect(!FileManager.default.fileExists(atPath: place.store.path))
        }
    }

    @Test func theShellSavesAndItsMistakesDoNot() throws {
        try Place.temporary { place in
            #expect(place.run("shell", input: ["new A", "new B", "undo", "quit"]).status == .done)
            #expect(
                place.run("shell", input: ["new C", "save", "new D", "oops"]).status == .failed)
            let list = place.run("list").output
            #expect(list.contains(" A ") && list.contains(" C "))
            #expect(list.hasSuffix("2 playlists, 0 songs.\n"))
        }
    }

    @Test func undoTakesBackWhatAnEarlierRunHasDone() throws {
        try Place.temporary { place in
            #expect(place.run("new A").status == .done)
            #expect(place.run("shell", input: ["rename A B", "quit"]).status == .done)
            #expect(place.run("undo").output == "Took back: rename A B\n")
            #expect(place.run("list").output.contains(" A "))
            #expect(place.run("redo").output == "Did again: rename A B\n")
            #expect(place.run("list").output.contains(" B "))
            #expect(
                place.run("shell", input: ["undo", "undo", "undo"]).output.hasSuffix(
                    "to take back.\n"))
            #expect(place.run("list").output.hasSuffix("0 playlists, 0 songs.\n"))
        }
    }

    @Test func theTourEndsWithWhatWasSavedAndKeepsNothing() throws {
        let transcript = Transcript()
        let program = Program(console: transcript.console(), input: .lines([]))
        #expect(program.run(["tour"]) == .done, "\(transcript.messages)")
        let output = transcript.output
        #expect(output.contains("Library.xml: 40 songs (40 new), 5 playlists (5 new)."))
        #expect(output.contains("Took back: delete-song Brass Tacks"))
        #expect(output.contains("Snow Arithmetic  Marta Velquist"))
        #expect(output.contains("\nFolk           10  48:48\n"))
        let end = try #require(output.components(separatedBy: "== The store is opened again").last)
        #expect(end.contains("1  @16  Café das Sombras"))
        #expect(end.hasSuffix("Everything is as it was saved.\n"))
    }
}
