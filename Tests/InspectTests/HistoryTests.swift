import Cabinet
import Foundation
import Testing

@testable import cabinet_inspect

private final class Entry: StoredObject {
    @Field var text = ""
    @Field var cents = 0

    override class var keepsHistory: Bool { true }
}

struct HistoryTests {
    let store = InspectStore()

    /// Four commits of a store that keeps history, the first of which is the store's own.
    private func makeBooks() throws {
        let books = try Store(
            directory: URL(fileURLWithPath: store.path), classes: [Entry.self])
        books.author = "maria"
        let (rent, food) = (Entry(), Entry())
        (rent.text, rent.cents, food.text) = ("rent", 100, "food")
        books.insert(rent)
        books.insert(food)
        try books.save()
        rent.cents = 250
        try books.note("a typing error")
        try books.save()
        try books.delete(food)
        try books.save()
        try books.close()
    }

    @Test func historyShowsOldAndNewValues() async throws {
        try makeBooks()
        let shown = await store.run("history", store.path, "Entry", "2")
        #expect(shown.status == .sound)
        try #require(shown.output.count == 2)
        #expect(shown.output[0].hasPrefix("2  ") && shown.output[0].contains("inserted"))
        #expect(
            shown.output[1].contains("maria  changed  cents: 100 -> 250  \"a typing error\""))
        let json = try InspectStore.objects(
            await store.run("history", store.path, "Entry", "3", "--json").output)
        #expect(json.map { $0["change"] as? String } == ["inserted", "deleted"])
        #expect(await store.run("history", store.path, "Entry", "9").messages.contains("Nothing"))
    }

    @Test func asOfShowsTheRecordsOfThen() async throws {
        try makeBooks()
        let then = await store.run("asof", store.path, "Entry", "2", "ORDER BY text")
        #expect(then.output == ["3  text: \"food\"  cents: 0", "2  text: \"rent\"  cents: 100"])
        let now = await store.run("asof", store.path, "Entry", "2999-12-31")
        #expect(now.output == ["2  text: \"rent\"  cents: 250"])
        #expect(await store.run("asof", store.path, "Entry", "1").output.isEmpty)
        #expect(await store.run("asof", store.path, "Entry", "soon").status == .notUnderstood)
        #expect(await store.run("asof", store.path, "Entry", "99").status == .failed)
    }

    @Test func diffShowsWhatDiffersBetweenTwoCommits() async throws {
        try makeBooks()
        let all = await store.run("diff", store.path, "2")
        #expect(
            all.output == [
                "Entry 2  changed  cents: 100 -> 250",
                "Entry 3  deleted  text: \"food\"  cents: 0",
            ])
        let first = await store.run("diff", store.path, "2", "3")
        #expect(first.output.count == 1)
        #expect(await store.run("diff", store.path, "x").status == .notUnderstood)
    }
}
