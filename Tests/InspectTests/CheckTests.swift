import Cabinet
import CabinetBackend
import Foundation
import Testing

@testable import cabinet_inspect

struct CheckTests {
    let store = InspectStore()

    @Test func aSoundStoreIsSaidToBe() async throws {
        try store.makeRecordings()
        let text = await store.run("check", store.path)
        #expect(text.status == .sound)
        #expect(text.output.first == "1 record of Note only the class itself can read.")
        #expect(text.output.last?.hasPrefix("Sound: ") == true)
        let json = await store.run("check", store.path, "--json")
        let object = try #require(InspectStore.objects(json.output).first)
        #expect(object["sound"] as? Bool == true)
        let graph = try #require(object["graph"] as? [String: Any])
        #expect(graph["records"] as? Int == 3)
        #expect((graph["unread"] as? [String: Int]) == ["Note": 1])
    }

    @Test func recordsAndReferencesAreCheckedFromTheCatalogAlone() async throws {
        try store.makeRecordings()
        try store.delete(3, of: "Song")
        try store.delete(2, of: "Note")
        try store.put([1, 2, 3], at: 2, of: "Song")
        let text = await store.run("check", store.path)
        #expect(text.status == .findings)
        #expect(text.output.contains("dangling-reference Playlist 2, songs to Song 3"))
        #expect(text.output.contains { $0.hasPrefix("unreadable-record Song 2: Song 2 cannot") })
        // Nothing keeps the note and the other object right: deleting them leaves them there.
        #expect(
            text.output.contains(
                "2 references lead to objects that were deleted, where nothing takes them out."))
        #expect(text.output.last == "2 things are wrong.")
        let json = await store.run("check", store.path, "--json")
        let object = try #require(InspectStore.objects(json.output).first)
        #expect(object["sound"] as? Bool == false)
        #expect((object["findings"] as? [Any])?.isEmpty == true)
        let graph = try #require(object["graph"] as? [String: Any])
        #expect(
            graph["counts"] as? [String: Int]
                == ["dangling-reference": 1, "loose-reference": 2, "unreadable-record": 1])
        let findings = try #require(graph["findings"] as? [[String: Any]])
        let dangling = try #require(
            findings.first { $0["kind"] as? String == "dangling-reference" })
        #expect(dangling["class"] as? String == "Playlist" && dangling["row"] as? Int == 2)
        #expect((dangling["target"] as? [String: Any])?["row"] as? Int == 3)
    }

    @Test func bothSidesOfAnInverseAreCompared() async throws {
        try store.makeRecordings()
        let opened = try store.open()
        let table = try #require(try opened.backend.tables().first { $0.name == "Playlist" })
        let buffer = DataBuffer()
        #expect(try opened.backend.value(of: 2, in: table.number, into: buffer))
        let record = buffer.withUnsafeBytes { Array($0) }
        let list = try #require(try opened.objects(of: Playlist.self).first)
        list.songs.removeLast(2)
        try opened.save()
        try opened.close()
        try store.put(record, at: 2, of: "Playlist")
        let text = await store.run("check", store.path)
        #expect(text.status == .findings)
        #expect(
            text.output.contains(
                "one-sided Playlist 2, songs to Song 3: its 'playlists' does not lead back"))
        #expect(text.output.last == "1 thing is wrong.")
    }
}
