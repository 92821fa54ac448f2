import CabinetTestSupport
import Foundation
import Testing

struct ReadmeTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// What people read is what was compiled, and it is short.
    @Test func firstProgramIsTheOneThatCompiles() throws {
        let program = try String(
            contentsOf: Self.folder.appending(path: "FirstProgram.swift"), encoding: .utf8)
        let readme = try String(
            contentsOf: Self.folder.appending(path: "../../../README.md"), encoding: .utf8)
        #expect(readme.contains("```swift\n\(program)```"))
        #expect(program.split(separator: "\n").count < 30)
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
