import CabinetTestSupport
import Foundation
import Testing

struct ReadmeTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// What people read is what was compiled, and it is short.
    @Test(arguments: ["FirstProgram.swift", "DeclaredModel.swift", "Watching.swift"])
    func aProgramIsTheOneThatCompiles(_ name: String) throws {
        let program = try String(
            contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        let readme = try String(
            contentsOf: Self.folder.appending(path: "../../../README.md"), encoding: .utf8)
        #expect(readme.contains("```swift\n\(program)```"))
        #expect(program.split(separator: "\n").count < 30)
    }

    /// A line of prose that stands in a program.
    @Test(arguments: [("ReadingAhead.swift", "store.prefetch(")])
    func aLineIsTheOneThatCompiles(_ name: String, _ part: String) throws {
        let program = try String(
            contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        let readme = try String(
            contentsOf: Self.folder.appending(path: "../../../README.md"), encoding: .utf8)
        let lines = program.split(separator: "\n").filter { $0.contains(part) }
        #expect(!lines.isEmpty)
        for line in lines {
            #expect(readme.contains("\n" + line.drop { $0 == " " } + "\n"))
        }
    }

    @Test func whatIsReadAheadIsAllThere() throws {
        let temporary = try TemporaryStore([Recording.self, Mixtape.self])
        let tape = Mixtape()
        temporary.store.insert(tape)
        for seconds in 1...3 {
            let recording = Recording()
            recording.seconds = UInt32(seconds)
            tape.recordings.append(recording)
        }
        try temporary.store.save()
        let store = try temporary.reopen()
        #expect(try store.playingTime(of: store.objects(of: Mixtape.self)) == 6)
        #expect(store.debugReport.classes.allSatisfy { $0.faultsRead == 0 })
    }

    @Test func whatIsShownIsWatched() throws {
        let temporary = try TemporaryStore([Recording.self, Mixtape.self])
        let recording = Recording()
        temporary.store.insert(recording)
        let bell = Bell()
        show(recording, in: temporary.store) { bell.ring() }
        recording.title = "Echoes"
        recording.title = "Echoes, Part One"
        #expect(bell.rings == 1)
    }

    @Test func theDeclaredModelKeepsBothSidesRight() throws {
        let temporary = try TemporaryStore([Recording.self, Mixtape.self])
        let tape = Mixtape()
        let recordings = (0..<3).map { _ in Recording() }
        temporary.store.insert(tape)
        tape.recordings = [recordings[2], recordings[0], recordings[1]]
        #expect(recordings[0].mixtapes.first === tape)
        try temporary.store.save()
        let again = try temporary.reopen()
        let found = try #require(try again.objects(of: Mixtape.self).first)
        try again.delete(found.recordings[1])
        #expect(found.recordings.count == 2)
    }

    @Test func firstProgramKeepsItsNotes() throws {
        let temporary = try TemporaryStore([Note.self])
        try temporary.close()
        try keepANote(in: temporary.directory)
        try keepANote(in: temporary.directory)
        let notes = try temporary.reopen().objects(of: Note.self)
        #expect(notes.map(\.rowID) == [2, 3])
    }
}
