import Foundation
import Testing

@testable import Cabinet
@testable import playlists

/// The program on a library that is one file.
struct StoreFileTests {
    private func run(
        _ place: Place, _ line: String, input: [String] = [], file: String = "Trip.cabinet"
    ) -> Place.Outcome {
        let transcript = Transcript()
        let program = Program(console: transcript.console(), input: .lines(input))
        let words = (try? ShellWords.split(line)) ?? []
        let path = place.directory.appending(path: file).path
        let status = program.run(words + ["--store", path])
        return Place.Outcome(
            status: status, output: transcript.output, messages: transcript.messages)
    }

    @Test func whatOneCommandDidIsInTheFile() throws {
        try Place.temporary { place in
            #expect(run(place, "list").status == .failed)
            #expect(run(place, "new Road").status == .done)
            #expect(run(place, "list").output.contains("Road"))
            #expect(run(place, "undo").status == .done)
            #expect(!run(place, "list").output.contains("Road"))
            #expect(run(place, "new Rail").status == .done)
            let url = place.directory.appending(path: "Trip.cabinet")
            let metadata = try StoreFile.metadata(of: url)
            #expect(metadata.title == "Trip")
            #expect(metadata.keywords == ["Rail"])
            // The file is all there is of it.
            try FileManager.default.moveItem(
                at: url, to: place.directory.appending(path: "Moved.cabinet"))
            #expect(run(place, "list", file: "Moved.cabinet").output.contains("Rail"))
        }
    }

    @Test func theShellSavesTheFileWhenItIsToldTo() throws {
        try Place.temporary { place in
            #expect(run(place, "new Road").status == .done)
            let url = place.directory.appending(path: "Trip.cabinet")
            let before = try Data(contentsOf: url)
            // A mistake ends the shell.
            let stopped = run(place, "shell", input: ["new Rail", "no such command"])
            #expect(stopped.status == .failed || stopped.status == .notUnderstood)
            #expect(try Data(contentsOf: url) == before)
            let dropped = run(place, "shell", input: ["list", "rollback", "list"])
            #expect(dropped.messages.contains("were not saved into the file are back"))
            #expect(dropped.output.components(separatedBy: "Rail").count == 2)
            #expect(dropped.output.components(separatedBy: "Road").count == 3)
            let kept = run(place, "shell", input: ["new Sea", "save"])
            #expect(kept.messages == "")
            #expect(kept.output.contains("Saved."))
            #expect(run(place, "list").output.contains("Sea"))
        }
    }
}
