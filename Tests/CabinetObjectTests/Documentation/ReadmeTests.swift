import Cabinet
import CabinetTestSupport
import Foundation
import Testing

@testable import CabinetTestModel

struct ReadmeTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    /// What people read is what runs below, and it is short. The checks of the documentation see
    /// that all code of README and of the articles compiles.
    @Test(
        arguments: [
            ("FirstProgram.swift", "README.md"), ("Finding.swift", "README.md"),
            ("Sharing.swift", "README.md"),
            (
                "../../PlaylistsTests/Documentation/DeclaredNote.swift",
                "Sources/Cabinet/Cabinet.docc/HandWritten.md"
            ),
        ])
    func aProgramIsTheOneThatRuns(_ path: String, _ page: String) throws {
        let program = try Self.text(path)
        #expect(try Self.text("../../../" + page).contains("```swift\n\(program)```"))
        #expect(program.split(separator: "\n").count <= 36)
    }

    /// A call in the prose that stands in a program.
    @Test func aCallIsTheOneThatCompiles() throws {
        let call = #"store.prefetch(\Mixtape.recordings, of: mixtapes)"#
        #expect(try Self.text("ReadingAhead.swift").contains(call))
        #expect(try Self.text("../../../README.md").contains("`\(call)`"))
    }

    @Test func whatAnotherThreadSavesIsFound() async throws {
        let temporary = try TemporaryStore([Recording.self, Mixtape.self])
        try temporary.close()
        #expect(try await addOnAnotherThread("Low Tide", in: temporary.directory) == "Low Tide")
        #expect(try temporary.reopen().objects(of: Mixtape.self).map(\.title) == ["Low Tide"])
    }

    @Test func lecturesAreFound() throws {
        let temporary = try TemporaryStore([Lecture.self])
        let lecture = Lecture()
        (lecture.title, lecture.seconds) = ("Low Tide", 700)
        temporary.store.insert(lecture)
        try findLectures(in: temporary.store, typed: "low tid")
        let hits = try temporary.store.search(Lecture.self, SearchQuery(typed: "low tid"))
        #expect(hits.map(\.object) == [lecture])
    }

    @Test func theFirstProgramRunsTwice() throws {
        let temporary = try TemporaryStore([Recording.self, Mixtape.self])
        try temporary.close()
        try makeAMixtape(in: temporary.directory)
        try makeAMixtape(in: temporary.directory)
        let store = try temporary.reopen()
        let tapes = try store.objects(of: Mixtape.self)
        #expect(tapes.count == 2)
        // The delete was taken back before anything of it was saved.
        for tape in tapes {
            #expect(tape.recordings.map(\.title) == ["Low Tide"])
            #expect(tape.recordings.first?.mixtapes.first === tape)
        }
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

    @Test func whatIsWrittenByHandIsReadByHand() throws {
        let temporary = try TemporaryStore([Note.self])
        let note = Note()
        note.text = "Milk"
        temporary.store.insert(note)
        try temporary.store.save()
        #expect(try temporary.reopen().objects(of: Note.self).map(\.text) == ["Milk"])
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
}
