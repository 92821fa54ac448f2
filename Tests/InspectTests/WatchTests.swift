import Cabinet
import CabinetBackend
import CabinetTokyo
import Foundation
import Testing

@testable import cabinet_inspect

struct WatchTests {
    let store = InspectStore()

    /// Watches the songs of a store that `edits` save into one after the other, each once what came before
    /// it was shown. Gives the lines of each time.
    private func watch(
        _ query: String, _ options: String..., edits: [(Store) throws -> Void]
    ) async throws -> [[String]] {
        try store.makeRecordings()
        let writer = try store.open()
        // This process stands for the two that open a directory beside each other.
        let follower = try TokyoBackend(path: store.path, files: SystemFiles(), follows: true)
        let (output, sink) = AsyncStream.makeStream(of: String.self)
        let invocation = try Invocation(
            ["watch", store.path, "Song", query, "--times", "\(edits.count)"] + options)
        let watching = Task {
            defer { sink.finish() }
            return try await Program(print: { sink.yield($0) }, say: { _ in })
                .watch(follower, invocation)
        }
        var shown: [[String]] = [[]]
        for await line in output {
            shown[shown.count - 1].append(line)
            guard line.contains(" as of save ") || line.contains(#""row":3"#) else { continue }
            if shown.count > edits.count { continue }
            try edits[shown.count - 1](writer)
            try writer.save()
            shown.append([])
        }
        #expect(try await watching.value == .sound)
        try follower.close()
        try writer.close()
        return shown
    }

    private func song(_ row: RowID, in store: Store) throws -> Song {
        try #require(try store.object(Song.self, rowID: row))
    }

    @Test func whatAnotherProgramSavesIsShown() async throws {
        let shown = try await watch(
            "seconds < 2000 ORDER BY title",
            edits: [
                { store in
                    let song = Song()
                    song.title = "Money"
                    store.insert(song)
                },
                { store in
                    try song(3, in: store).title = "Breathe"
                    try store.delete(song(4, in: store))
                },
                { store in
                    // Of another class: it is not shown.
                    store.insert(Playlist())
                    try store.save()
                    try song(3, in: store).seconds = 2000
                },
            ])
        let short = shown.map { lines in lines.map { String($0.prefix { $0 != "," }.prefix(24)) } }
        #expect(
            short == [
                [
                    "+ 2  title: \"Echoes \\\"li", "+ 3  title: \"Time\"  seco",
                    "2 records as of save 1.",
                ],
                ["+ 4  title: \"Money\"  sec", "3 records as of save 2."],
                [
                    "- 4  title: \"Money\"  sec", "~ 3  title: \"Breathe\"  s",
                    "2 records as of save 3.",
                ],
                ["- 3  title: \"Breathe\"  s", "1 record as of save 5."],
            ])
    }

    @Test func changesAreWrittenAsJSON() async throws {
        let shown = try await watch(
            "title != 'Echoes'", "--json",
            edits: [{ try song(3, in: $0).title = "Money" }, { try $0.delete(song(3, in: $0)) }])
        let last = try InspectStore.objects(shown.dropFirst().flatMap { $0 })
        #expect(last.map { $0["change"] as? String } == ["updated", "deleted"])
        #expect(last.map { $0["commit"] as? Int } == [2, 3])
        let records = last.map { $0["record"] as? [String: Any] }
        #expect(records.map { $0?["row"] as? Int } == [3, 3])
        let fields = records.map { $0?["fields"] as? [String: Any] }
        #expect(fields.map { $0?["title"] as? String } == ["Money", "Money"])
    }

    @Test func aWrongQueryEndsIt() async throws {
        try store.makeRecordings()
        let wrong = await store.run("watch", store.path, "Song", "year = 5")
        #expect(wrong.status == .failed && wrong.output.isEmpty)
        #expect(wrong.messages.contains("There is no field 'year'"))
        #expect(
            await store.run("watch", store.path, "Song", "--times", "x").messages
                == "cabinet-inspect: --times must be a number from 0 on, not \"x\".")
        let once = await store.run("watch", store.path, "Playlist", "--times", "0")
        #expect(once.status == .sound && once.output.last == "1 record as of save 1.")
    }
}
