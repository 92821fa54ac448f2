import CabinetTools
import Foundation
import Testing
import TrustSupport

@testable import playlists

/// One library that several programs change at the same time.
struct SharedFileTests {
    private func run(_ place: Place, _ words: [String], at store: String) -> Place.Outcome {
        let transcript = Transcript()
        let program = Program(console: transcript.console(), input: .lines([]))
        let status = program.run(words + ["--store", store])
        return Place.Outcome(
            status: status, output: transcript.output, messages: transcript.messages)
    }

    #if SQLite
        @Test func twoProgramsAddToOnePlaylist() throws {
            let program = try #require(BuiltProgram.path("playlists"))
            try Place.temporary { place in
                let store = "sqlite:" + place.directory.appending(path: "Music.sqlite").path
                let library = place.directory.appending(path: "Library.xml")
                try Data(PackageResources.SampleLibrary_xml).write(to: library)
                #expect(run(place, ["import", library.path], at: store).status == .done)
                #expect(run(place, ["new", "Both"], at: store).status == .done)
                // Each adds one song after the other, in processes of their own.
                let rounds = 6
                let ended = DispatchGroup()
                let statuses = Statuses()
                for song in ["@2", "@3"] {
                    DispatchQueue.global().async(group: ended) {
                        for _ in 0..<rounds {
                            let process = Process()
                            process.executableURL = URL(filePath: program)
                            process.arguments = ["add", "Both", song, "--store", store]
                            process.standardOutput = Pipe()
                            try? process.run()
                            process.waitUntilExit()
                            statuses.add(process.terminationStatus)
                        }
                    }
                }
                ended.wait()
                #expect(statuses.all == Array(repeating: 0, count: 2 * rounds))
                let listing = run(place, ["export", "Both"], at: store)
                #expect(listing.status == .done)
                let address = try StoreAddress(store)
                let opened = try Library.open(address, for: .reading)
                let songs = try Library(opened).playlist("Both").songs.map(\.rowID)
                #expect(songs.filter { $0 == 2 }.count == rounds)
                #expect(songs.filter { $0 == 3 }.count == rounds)
                try opened.close()
            }
        }

        /// What the processes ended with. `Sendable`, because the lock guards it.
        private final class Statuses: @unchecked Sendable {
            private let lock = NSLock()
            private var list: [Int32] = []
            func add(_ status: Int32) { lock.withLock { list.append(status) } }
            var all: [Int32] { lock.withLock { list } }
        }
    #else
        @Test func withoutTheTraitAFileIsRefused() throws {
            try Place.temporary { place in
                let store = "sqlite:" + place.directory.appending(path: "Music.sqlite").path
                let outcome = run(place, ["new", "Both"], at: store)
                #expect(outcome.status == .notUnderstood)
                #expect(outcome.messages.contains("the trait SQLite"))
            }
        }
    #endif

    @Test func aLibraryThatIsNotThereIsNotMade() throws {
        try Place.temporary { place in
            let path = place.directory.appending(path: "Music.sqlite").path
            #expect(run(place, ["list"], at: "sqlite:" + path).status == .failed)
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(run(place, ["list"], at: "https://x.org/y").status == .notUnderstood)
        }
    }
}
