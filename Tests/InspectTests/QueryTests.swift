import Foundation
import Testing

@testable import cabinet_inspect

struct QueryTests {
    let store = InspectStore()

    @Test func recordsAreFoundFromTheCatalogAlone() async throws {
        try store.makeRecordings()
        let long = await store.run("query", store.path, "Song", "seconds > 1000", "--json")
        #expect(long.status == .sound)
        let found = try InspectStore.objects(long.output)
        #expect(found.map { $0["row"] as? Int } == [2])
        let sorted = await store.run(
            "query", "--json", store.path, "Song", "order by title desc")
        #expect(
            try InspectStore.objects(sorted.output).map { $0["row"] as? Int } == [3, 2])
        let page = await store.run("query", store.path, "Song", "LIMIT 1 OFFSET 1")
        #expect(
            page.output.count == 1 && page.output.first?.hasPrefix("3  title: \"Time\"") == true)
        let none = await store.run("query", store.path, "Song", "title = 'none'")
        #expect(none.output.isEmpty && none.status == .sound)
    }

    @Test func aWrongQueryIsSaidWithItsPlace() async throws {
        try store.makeRecordings()
        let wrong = await store.run("query", store.path, "Song", "year = 5")
        #expect(wrong.status == .failed && wrong.output.isEmpty)
        #expect(wrong.messages.contains("There is no field 'year'"))
        #expect(wrong.messages.hasSuffix("at 0:\nyear = 5\n^"))
        #expect(await store.run("query", store.path, "Song").status == .notUnderstood)
        #expect(await store.run("query", store.path, "Singer", "a = 1").status == .failed)
    }

    @Test func recordsWrittenByHandAreCounted() async throws {
        try store.makeRecordings()
        let notes = await store.run("query", store.path, "Note", "")
        #expect(notes.output.isEmpty)
        #expect(notes.messages.contains("left out 1 record written by hand"))
    }
}
