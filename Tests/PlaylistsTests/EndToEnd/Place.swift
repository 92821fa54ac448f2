import Cabinet
import Foundation
import Testing

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

    /// - Parameter copied: a store to copy there.
    static func temporary(of copied: URL? = nil, _ body: (Place) throws -> Void) throws {
        let directory = URL.temporaryDirectory.appending(path: "PlaylistsTests-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let place = Place(directory: directory)
        if let copied { try FileManager.default.copyItem(at: copied, to: place.store) }
        try body(place)
    }

    /// Runs the program as `playlists LINE --store …`, with `input` as its lines.
    func run(_ line: String, input: [String] = []) -> Outcome {
        let transcript = Transcript()
        let program = Program(console: transcript.console(), input: .lines(input))
        let words = (try? ShellWords.split(line)) ?? []
        let status = program.run(words + ["--store", store.path])
        return Outcome(
            status: status, output: transcript.output, messages: transcript.messages)
    }

    /// What the program exports.
    func export() throws -> LibraryListing {
        let outcome = run("export")
        #expect(outcome.status == .done, "\(outcome.messages)")
        return try JSONDecoder().decode(LibraryListing.self, from: Data(outcome.output.utf8))
    }

    /// Imports one song from a file.
    func importNewcomer() throws {
        let file = directory.appending(path: "new.xml")
        let text = Fixtures.library(ofTrack: "<key>Name</key><string>Newcomer</string>")
        try Data(text.utf8).write(to: file)
        #expect(run("import '\(file.path)'").status == .done)
    }

    func withStore<Result>(
        of classes: [StoredObject.Type] = Library.classes, _ body: (Store) throws -> Result
    ) throws -> Result {
        let store = try Store(directory: store, classes: classes)
        defer { try? store.close() }
        return try body(store)
    }

    /// The version bytes of the songs' records.
    func versions() throws -> Set<UInt8> {
        try withStore { store in
            var versions: Set<UInt8> = []
            try store.forEachRecordVersion(Song.self) { _, version, _ in versions.insert(version) }
            return versions
        }
    }
}
