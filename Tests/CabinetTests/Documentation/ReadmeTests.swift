import CabinetTestSupport
import Foundation
import Testing

struct ReadmeTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// What people read is what was compiled, and it is short.
    @Test(arguments: ["FirstProgram.swift", "DeclaredModel.swift"])
    func aProgramIsTheOneThatCompiles(_ name: String) throws {
        let program = try String(
            contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        let readme = try String(
            contentsOf: Self.folder.appending(path: "../../../README.md"), encoding: .utf8)
        #expect(readme.contains("```swift\n\(program)```"))
        #expect(program.split(separator: "\n").count < 30)
    }

    @Test func theDeclaredModelKeepsBothSidesRight() throws {
        let temporary = try TemporaryStore([Track.self, TrackList.self])
        let (list, tracks) = (TrackList(), (0..<3).map { _ in Track() })
        temporary.store.insert(list)
        list.tracks = [tracks[2], tracks[0], tracks[1]]
        #expect(tracks[0].lists.first === list)
        try temporary.store.save()
        let again = try temporary.reopen()
        let found = try #require(try again.objects(of: TrackList.self).first)
        let second = found.tracks[1]
        try again.delete(second)
        #expect(found.tracks.count == 2)
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
