import Cabinet
import Foundation
import Testing

@testable import cabinet_inspect

struct DumpTests {
    let store = InspectStore()

    @Test func recordsAreDecodedFromTheCatalogAlone() async throws {
        try store.makeRecordings()
        let result = await store.run("dump", store.path, "Song", "2", "--json")
        #expect(result.status == .sound)
        #expect(
            result.output == [
                #"{"class":"Song","row":2,"version":1,"layout":1,"fields":{"#
                    + #""title":"Echoes \"live\" & \u001b[1m <b>","seconds":1423,"#
                    + #""released":"2001-01-01T00:00:00.500Z","#
                    + #""key":"00112233-4455-6677-8899-AABBCCDDEEFF","gain":"NaN","price":-0.1,"#
                    + #""huge":"340282366920938463463374607431768211455","tags":{"a":1,"b":-2},"#
                    + #""places":[{"key":7,"value":true}],"cover":"00ff","#
                    + #""playlists":[{"class":"Playlist","row":2}]}}"#
            ])
        let playlists = try InspectStore.objects(
            await store.run("dump", "--json", store.path, "Playlist").output)
        let fields = try #require(playlists.first?["fields"] as? [String: Any])
        let songs = try #require(fields["songs"] as? [[String: Any]])
        #expect(songs.map { $0["row"] as? Int } == [2, 3, 2])
        #expect((fields["note"] as? [String: Any])?["class"] as? String == "Note")
        #expect((fields["anything"] as? [String: Any])?["class"] as? String == "Song")
    }

    @Test func textShowsTheSame() async throws {
        try store.makeRecordings()
        let list = await store.run("dump", store.path, "Playlist")
        #expect(
            list.output == [
                #"2  title: "Floyd"  songs: [Song 2, Song 3, Song 2]  note: Note 2  anything: Song 3"#
            ])
        let hex = await store.run("dump", store.path, "Playlist", "--hex")
        #expect(hex.output.first?.hasPrefix("2  0105000000466c6f7964") == true)
    }

    @Test func handWrittenRecordsAreShownAsBytes() async throws {
        try store.makeRecordings()
        let json = await store.run("dump", store.path, "Note", "--json")
        #expect(
            json.output == [
                #"{"class":"Note","row":2,"version":1,"handWritten":true,"bytes":8,"#
                    + #""hex":"01030000006f6c64"}"#
            ])
        let text = await store.run("dump", store.path, "Note")
        #expect(text.status == .sound)
        #expect(text.output == ["2  (written by hand by version 1)  01030000006f6c64"])
    }

    @Test func whatCannotBeReadIsSaidAndShown() async throws {
        try store.makeRecordings()
        try store.put([1, 200, 0, 0, 0, 65], at: 2, of: "Song")
        try store.put([77], at: 3, of: "Song")
        let result = await store.run("dump", store.path, "Song", "--json")
        #expect(result.status == .findings)
        let objects = try InspectStore.objects(result.output)
        #expect(objects.count == 2 && objects.allSatisfy { $0["fields"] == nil })
        #expect(Set(objects.map { $0["hex"] as? String }) == ["01c800000041", "4d"])
        #expect(objects.allSatisfy { ($0["problem"] as? String)?.isEmpty == false })
        let text = await store.run("dump", store.path, "Song", "3")
        #expect(text.output.first?.hasSuffix("catalog does not know.)  4d") == true)
    }

    @Test(arguments: [
        (1e300, "1e+300"), (-1e300, "-1e+300"), (Double.infinity, #""Infinity""#),
        (-1.0, #""2000-12-31T23:59:59Z""#), (252_423_993_599, #""9999-12-31T23:59:59Z""#),
        (-13_190_860_800, #""1583-01-01T00:00:00Z""#), (-13_190_860_801, "-13190860801.0"),
        (252_423_993_600, "252423993600.0"),
    ])
    func everyDateIsWritten(_ seconds: Double, _ text: String) {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        #expect(FieldValue.date(date).json.written == text)
    }
}
