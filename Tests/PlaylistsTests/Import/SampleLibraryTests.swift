import Testing

@testable import playlists

struct SampleLibraryTests {
    @Test func theBundledLibraryIsWhole() throws {
        let source = ImportSource(
            path: "SampleLibrary.xml", bytes: PackageResources.SampleLibrary_xml)
        let library = try AppleLibraryImporter.read(source)
        #expect(library.tracks.count == 40)
        #expect(library.playlists.count == 5)
        #expect(library.notes.count == 1 && library.notes[0].hasSuffix(#""Library", "Music"."#))
        #expect(Set(library.tracks.map(\.persistentID)).count == 40)
        #expect(library.tracks.allSatisfy { !$0.title.isEmpty && $0.seconds > 0 })
        #expect(library.playlists.allSatisfy { $0.tracks.count >= 6 })
    }
}
