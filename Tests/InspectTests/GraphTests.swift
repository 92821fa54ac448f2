import Cabinet
import Foundation
import Testing

@testable import cabinet_inspect

struct GraphTests {
    let store = InspectStore()

    @Test func theClassGraphHasAnArrowForARelationshipAndItsInverse() async throws {
        try store.makeRecordings()
        let result = await store.run("graph", store.path, "--dot")
        #expect(result.status == .sound)
        #expect(result.output.first == "digraph store {" && result.output.last == "}")
        #expect(
            result.output.contains(
                #"    "Song" -> "Playlist" [label="playlists * / songs * (nullify)", dir=both];"#))
        #expect(result.output.contains(#"    "Playlist" -> "Note" [label="note"];"#))
        #expect(
            result.output.contains(
                #"    "StoredObject" [label="StoredObject", style=dashed];"#))
        #expect(
            result.output.contains(#"    "Note" [label="Note (1)\nwritten by hand"];"#))
        let text = await store.run("graph", store.path)
        #expect(text.output.contains("Song <-> Playlist  playlists * / songs * (nullify)"))
        let object = try #require(
            InspectStore.objects(await store.run("graph", store.path, "--json").output).first)
        #expect((object["nodes"] as? [Any])?.count == 4)
        #expect((object["edges"] as? [Any])?.count == 3)
    }

    @Test func theObjectGraphGoesAsFarAsIsAsked() async throws {
        try store.makeRecordings()
        let alone = await store.run(
            "graph", store.path, "Playlist", "2", "--depth", "0", "--dot")
        #expect(alone.output.count { $0.contains("label=") } == 1)
        #expect(alone.output.contains(#"    "Playlist 2" [label="Playlist 2\nFloyd"];"#))
        let near = await store.run("graph", store.path, "Playlist", "2", "--dot")
        // What a text holds is shown as it is, and neither ends the text nor marks it up.
        #expect(
            near.output.contains(
                #"    "Song 2" [label="Song 2\nEchoes \"live\" &amp; "# + "\u{FFFD}"
                    + #"[1m <b>"];"#))
        #expect(
            near.output.contains(
                #"    "Playlist 2" -> "Song 3" [label="songs / playlists", dir=both];"#))
        #expect(near.output.contains(#"    "Playlist 2" -> "Song 3" [label="anything"];"#))
        #expect(
            near.output.contains(#"    "Note 2" [label="Note 2\nwritten by hand"];"#))
        #expect(near.output.count { $0.contains("->") } == 4)
    }

    @Test func missingAndUnreadableObjectsAreFaint() async throws {
        try store.makeRecordings()
        try store.delete(2, of: "Song")
        try store.put([1], at: 3, of: "Song")
        let result = await store.run("graph", store.path, "Playlist", "2", "--dot")
        #expect(result.status == .sound)
        #expect(
            result.output.contains(#"    "Song 2" [label="Song 2\nnot there", style=dashed];"#))
        #expect(
            result.output.contains(
                #"    "Song 3" [label="Song 3\ncannot be read", style=dashed];"#))
        #expect(await store.run("graph", store.path, "Song", "2").status == .failed)
    }

    @Test func whatALimitLeavesOutIsCounted() async throws {
        let opened = try store.open()
        let list = Playlist()
        list.songs = (0..<130).map { _ in Song() }
        opened.insert(list)
        try opened.save()
        try opened.close()
        let result = await store.run("graph", store.path, "Playlist", "2", "--dot")
        #expect(result.output.count { $0.contains("dir=both") } == 100)
        #expect(
            result.output.contains(
                #"    "Playlist 2.songs" [label="30 more", style=dashed];"#))
    }

    @Test func referrersAreTheArrowsThatComeIn() async throws {
        try store.makeRecordings()
        try store.delete(3, of: "Song")
        let result = await store.run("referrers", store.path, "Song", "3")
        #expect(result.status == .sound)
        #expect(result.output == ["Playlist 2  songs", "Playlist 2  anything"])
        // The store does not keep the referrers of songs: notes could refer to one.
        #expect(
            result.messages == "Song 3 is not there.\n1 record of Note cannot be read here, and "
                + "may refer to it.")
        let lines = await store.run("referrers", store.path, "Playlist", "2", "--json").output
        #expect(lines == [#"{"class":"Song","row":2,"field":"playlists"}"#])
        let alone = await store.run("referrers", store.path, "Playlist", "9")
        #expect(alone.status == .sound && alone.output == [])
        #expect(alone.messages.contains("1 record of Note cannot be read here"))
        #expect(await store.run("referrers", store.path, "Song").status == .notUnderstood)
        #expect(await store.run("referrers", store.path, "Tune", "2").status == .failed)
    }

    /// Owners that write by hand are found by the table of referrers.
    @Test func handWrittenReferrersAreFoundWhereTheStoreKeepsThem() async throws {
        let opened = try Store(
            directory: URL(fileURLWithPath: store.path), classes: [Guest.self, Desk.self])
        let (guest, other, desk) = (Guest(), Guest(), Desk())
        desk.guests = [guest]
        for object in [guest, other, desk] as [StoredObject] { opened.insert(object) }
        try opened.save()
        try opened.close()
        let found = await store.run("referrers", store.path, "Guest", "2")
        #expect(found.output == ["Desk 2  (written by hand)"] && found.messages == "")
        #expect(await store.run("referrers", store.path, "Guest", "3").output == [])
    }

    @Test func commandLinesThatMakeNoSenseAreRefused() async throws {
        try store.makeRecordings()
        for words in [
            ["Song"], ["Song", "x"], ["--depth", "1"], ["Song", "2", "--depth"],
            ["Song", "2", "--depth", "-1"], ["--dot", "--json"], ["Song", "2", "3"],
        ] {
            let result = await store.run(["graph", store.path] + words)
            #expect(result.status == .notUnderstood, "\(words)")
        }
    }

    /// Graphviz itself must take what is written, where it is there.
    @Test(.enabled(if: GraphTests.dot != nil)) func graphvizReadsBothGraphs() async throws {
        try store.makeRecordings()
        for words in [[], ["Playlist", "2"]] {
            let result = await store.run(["graph", store.path, "--dot"] + words)
            let svg = try Self.draw(result.output.joined(separator: "\n"))
            #expect(svg.contains("<svg") && svg.contains(words.isEmpty ? ">Song (2)<" : ">Floyd<"))
            if !words.isEmpty { #expect(svg.contains("&amp;") && svg.contains("&lt;b&gt;")) }
        }
    }

    static let dot = ["/usr/bin/dot", "/usr/local/bin/dot", "/opt/homebrew/bin/dot"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private static func draw(_ text: String) throws -> String {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: try #require(dot))
        process.arguments = ["-Tsvg"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        input.fileHandleForWriting.write(Data(text.utf8))
        try input.fileHandleForWriting.close()
        let svg = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: svg, as: UTF8.self)
    }
}
