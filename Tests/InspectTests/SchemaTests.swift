import Cabinet
import Foundation
import Testing

@testable import cabinet_inspect

struct SchemaTests {
    let store = InspectStore()

    @Test func classesLayoutsAndRelationshipsAreShown() async throws {
        try store.makeRecordings()
        let result = await store.run("schema", store.path)
        #expect(result.status == .sound)
        let lines = result.output.map { $0.split(separator: " ").joined(separator: " ") }
        for line in [
            "Song class 0, version 1, 2 records", "layout 1, version 1", "released Date?",
            "places [Int16: Bool]", "playlists Many<Playlist> inverse Playlist.songs",
            "songs Many<Song> inverse Song.playlists, on delete nullify", "note One<Note>",
            "Note class 2, version 1, 1 record",
            "written by hand: only the class itself can read its records",
        ] { #expect(lines.contains(line), "\(line)") }
    }

    @Test func jsonSaysTheSame() async throws {
        try store.makeRecordings()
        let result = await store.run("schema", store.path, "--json")
        let object = try #require(InspectStore.objects(result.output).first)
        #expect(object["versioning"] as? String == "perInstance")
        let classes = try #require(object["classes"] as? [[String: Any]])
        let list = try #require(classes.first { $0["name"] as? String == "Playlist" })
        let layout = try #require((list["layouts"] as? [[String: Any]])?.first)
        let fields = try #require(layout["fields"] as? [[String: Any]])
        let songs = try #require(fields.first { $0["name"] as? String == "songs" })
        let relationship = try #require(songs["relationship"] as? [String: Any])
        #expect(relationship["target"] as? String == "Song")
        #expect(relationship["many"] as? Bool == true)
        #expect(relationship["inverse"] as? String == "playlists")
        #expect(relationship["deleteRule"] as? String == "nullify")
        #expect(list["declared"] as? Bool == true)
    }

    @Test func aClassThatTheCatalogSaysNothingOfIsShown() async throws {
        try store.make()
        let result = await store.run("schema", store.path)
        #expect(result.status == .sound)
        #expect(result.output.first == "Song  class 7, version 4, 2 records")
    }
}
