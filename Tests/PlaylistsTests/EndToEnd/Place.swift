import Foundation

@testable import playlists

/// A directory that a test has for itself, and the program run on a store in it.
struct Place {
    struct Outcome {
        var status: Program.Status
        var output: String
        var messages: String
    }

    let directory: URL

    var store: URL { directory.appending(path: "Music", directoryHint: .isDirectory) }

    static func temporary(_ body: (Place) throws -> Void) throws {
        let directory = URL.temporaryDirectory.appending(path: "PlaylistsTests-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(Place(directory: directory))
    }

    /// Runs the program as `playlists LINE --store …`, with `input` as its lines.
    func run(_ line: String, input: [String] = []) -> Outcome {
        let transcript = Transcript()
        var rest = input[...]
        let program = Program(
            console: transcript.console(), input: { rest.popFirst() }, inputIsTerminal: false,
            open: LibraryPlace.open)
        let words = (try? ShellWords.split(line)) ?? []
        let status = program.run(words + ["--store", store.path])
        return Outcome(
            status: status, output: transcript.output, messages: transcript.messages)
    }
}
