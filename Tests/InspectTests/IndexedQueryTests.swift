import Cabinet
import Foundation
import Testing

@testable import cabinet_inspect

/// Queries and searches by the indexes that the catalog names, without the class.
struct IndexedQueryTests {
    let store = InspectStore()

    private func rows(_ lines: [String]) throws -> [Int] {
        try InspectStore.objects(lines).compactMap { $0["row"] as? Int }
    }

    @Test(
        arguments: [
            ("artist = 'Artist 3'", "artist.year"),
            ("artist = 'Artist 3' AND year > 1990", "artist.year"),
            ("artist = NULL AND year BETWEEN 1960 AND 1970", "artist.year"),
            ("artist BEGINSWITH 'Artist 3' AND year > 1977", "artist.year"),
            ("artist = 'Artist 3' ORDER BY year DESC LIMIT 7 OFFSET 2", "artist.year"),
            ("title = 'Été'", "title.caseInsensitive"),
            ("title BEGINSWITH 'red ' AND rating > 0", "title.caseInsensitive"),
            ("rating = -1", "rating"), ("rating < -0.9", "rating"),
            ("rating > 2.5 AND rating <= 3.0 ORDER BY title LIMIT 5", "rating"),
            ("ORDER BY rating LIMIT 9", "rating"), ("ORDER BY rating DESC LIMIT 9", "rating"),
            ("rating >= 1 AND year < 2000 ORDER BY rating LIMIT 20", "rating"),
            ("released = '2001-01-01T00:00:40Z'", "released"),
            ("released IS NOT NULL AND released < '2001-01-01T00:01:00Z'", "released"),
        ] as [(String, String)])
    func anIndexGivesWhatAScanGives(_ query: String, _ index: String) async throws {
        try store.makeTunes()
        let found = await store.run("query", store.path, "Tune", query, "--json")
        let scanned = await store.run("query", store.path, "Tune", query, "--json", "--scan")
        #expect(found.output == scanned.output && !found.output.isEmpty)
        let plan = await store.run("explain", store.path, "Tune", query)
        #expect(plan.output.first?.hasPrefix("index \(index) of Tune") == true, "\(plan.output)")
        let same = await store.run("query", store.path, "Tune", query, "--explain")
        #expect(same.output == plan.output)
        let scan = await store.run("explain", store.path, "Tune", query, "--scan")
        #expect(scan.output.first == "scan Tune: 400 rows")
    }

    @Test func explainSaysWhichIndexesOnlyTheClassCanUse() async throws {
        try store.makeTunes(20)
        let plan = await store.run("explain", store.path, "Tune", "year = 1955", "--json")
        let object = try #require(try InspectStore.objects(plan.output).first)
        let steps = try #require(object["steps"] as? [[String: Any]])
        #expect(steps.first?["step"] as? String == "scan Tune")
        let unused = try #require(object["unusedIndexes"] as? [[String: String]])
        #expect(
            Set(unused.compactMap { $0["index"] })
                == ["late", "tags", "title.length", "decade"], "\(unused)")
        #expect(unused.allSatisfy { $0["reason"]?.isEmpty == false })
    }

    @Test(arguments: [
        "blue", "etes OR ete", "blue NOT train", "\"blue été\"", "title:na*", "artist:tist",
        "[[*rai*]]", "blue -choice -red", "zzz",
    ])
    func aSearchFindsWhatTheProgramFinds(_ query: String) async throws {
        try store.makeTunes()
        if query.hasPrefix("artist:") {
            let all = await store.run("search", store.path, "Tune", query, "--json")
            #expect(try rows(all.output).count == (0..<400).count { $0 % 11 != 0 })
            return
        }
        let wanted = try store.withTunes { store in
            // The text that only the class knows is left out.
            let titles = try store.search(IndexedTune.self, query, in: \.title)
            return titles.map { (Int($0.object.rowID.rawValue), ($0.score * 1000).rounded()) }
        }
        let found = await store.run(
            "search", store.path, "Tune", query, "--in", "title", "--json")
        #expect(found.status == .sound)
        #expect(try rows(found.output) == wanted.map(\.0))
        let scores = try InspectStore.objects(found.output).map {
            (($0["score"] as? Double ?? 0) * 1000).rounded()
        }
        #expect(scores == wanted.map(\.1))
        let plan = await store.run(
            "search", store.path, "Tune", query, "--in", "title", "--explain")
        #expect(plan.output.first?.hasPrefix("search title for") == true, "\(plan.output)")
    }

    @Test func aSearchShowsWhereItFoundSomething() async throws {
        try store.makeTunes(20)
        let found = await store.run("search", store.path, "Tune", "ete", "--limit", "1")
        #expect(found.output.count == 1 && found.output[0].contains("[Été]"), "\(found.output)")
        #expect(found.messages.contains("the text index both was not used: only the class"))
        let typed = await store.run(
            "search", store.path, "Tune", "choise", "--typed", "--in", "title", "--json")
        let first = try #require(try InspectStore.objects(typed.output).first)
        #expect(first["typos"] as? Int == 1)
        #expect((first["texts"] as? [String: String])?["title"]?.contains("Choice") == true)
    }

    @Test func aWrongSearchSaysWhy() async throws {
        try store.makeTunes(20)
        let none = await store.run("search", store.path, "Tune", "x", "--in", "year")
        #expect(none.status == .failed && none.messages.contains("no text index of 'year'"))
        let wrong = await store.run("search", store.path, "Tune", "(open")
        #expect(wrong.status == .failed && wrong.messages.contains("(open"))
        #expect(await store.run("search", store.path, "Tune").status == .notUnderstood)
        let limit = await store.run("search", store.path, "Tune", "x", "--limit", "-2")
        #expect(limit.status == .notUnderstood)
        #expect(await store.run("search", store.path, "Tune", "x", "--in").status == .notUnderstood)
    }
}
