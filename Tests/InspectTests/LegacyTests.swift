import Cabinet
import Foundation
import Testing

@testable import cabinet_inspect

/// A directory that the ancestor wrote: its classes wrote by hand, and nothing says what.
struct LegacyTests {
    let store = InspectStore()

    init() throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/bnr-legacy").standardizedFileURL
        try FileManager.default.copyItem(atPath: source.path, toPath: store.path)
        for (name, mode) in [
            ("", 0o755), ("/Song", 0o644), ("/Playlist", 0o644), ("/Person", 0o644),
            ("/NamedBuffers", 0o644),
        ] {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: store.path + name)
        }
    }

    @Test func recordsAreShownAsTheBytesThatTheyAre() async throws {
        let before = try store.content()
        let result = await store.run("dump", store.path, "Song", "2", "--json")
        #expect(result.status == .sound)
        let object = try #require(InspectStore.objects(result.output).first)
        #expect(object["handWritten"] as? Bool == true && object["fields"] == nil)
        // Nothing in the directory says whether records begin with a version.
        #expect(object["version"] == nil)
        let hex = Data("What Café 0".utf8).map { String(format: "%02x", $0) }.joined()
        #expect(object["hex"] as? String == "030c000000\(hex)2b010000")
        #expect(try store.content() == before)
    }

    @Test func nothingElseIsClaimedOfIt() async throws {
        let schema = await store.run("schema", store.path)
        #expect(schema.output.contains("Song  class 0, version 1, 60 records"))
        #expect(schema.output.count { $0.contains("written by hand") } == 3)
        let graph = await store.run("graph", store.path, "Song", "2", "--dot")
        #expect(graph.output.contains(#"    "Song 2" [label="Song 2\nwritten by hand"];"#))
        let check = await store.run("check", store.path)
        #expect(check.status == .sound)
        #expect(check.output.contains("60 records of Song only the class itself can read."))
    }
}
