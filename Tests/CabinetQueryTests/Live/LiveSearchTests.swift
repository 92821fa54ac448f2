import Foundation
import Synchronization
import Testing
import TrustSupport

@testable import Cabinet

/// What a search finds follows each commit, and its order a renewal.
struct LiveSearchTests {
    final class Verse: StoredObject {
        @Field var text = ""
        @Field var number = 0
        override class var storageName: String { "Live_Verse" }
        override class var textIndexes: [TextIndex] { [.text(\Verse.text)] }
    }

    private func open() throws -> (Store, [Verse]) {
        let store = try Store(inMemory: [Verse.self])
        let texts = ["blue", "blue blue sky", "red", "a long verse of a blue train in the night"]
        let verses = texts.enumerated().map { number, text in
            let verse = Verse()
            (verse.text, verse.number) = (text, number)
            store.insert(verse)
            return verse
        }
        try store.save()
        #if DEBUG
            store.verifiesLiveQueries = true
        #endif
        return (store, verses)
    }

    @Test func whatMatchesFollowsAndRelevanceIsRenewed() throws {
        let (store, verses) = try open()
        let search = try SearchQuery("blue")
        let live = try store.query(Verse.self).liveSearch(search)
        let reader = LiveReader()
        live.rows.add(reader)
        var table = TableModel()
        func take() throws -> LiveChange<Verse>? {
            let change = reader.take(live.rows)
            if let change { try table.apply(change) }
            return change
        }
        func byRelevance() throws -> [Verse] {
            try store.query(Verse.self).search(search).objects
        }
        #expect(try take()?.isReset == true)
        let first = try byRelevance()
        #expect(live.objects.elementsEqual(first, by: ===))
        verses[2].text = "blue blue blue blue"
        verses[0].text = "green"
        try store.save()
        let change = try #require(try take())
        #expect(change.deletions.count == 1 && change.insertions == [2])
        #expect(live.objects.last === verses[2])
        let best = try byRelevance()
        #expect(best.first === verses[2])
        try live.renew()
        #expect(live.objects.elementsEqual(best, by: ===))
        #expect(try take()?.cause == .renewal)
        #expect(try take() == nil)
        try live.renew()
        #expect(reader.isUpToDate)
    }

    @Test func noCauseIsTakenForAnother() {
        let all: [LiveCause] = [.save, .otherStores, .edit, .undo, .renewal, .resumption]
        for (index, cause) in all.enumerated() {
            for other in all[..<index] { #expect(cause.isDisjoint(with: other)) }
        }
    }

    @Test func aGivenOrderIsKept() throws {
        let (store, verses) = try open()
        let live = try store.query(Verse.self).filter(#Predicate { $0.number < 9 })
            .sorted(by: [.descending(\.number)]).limit(2).liveSearch(SearchQuery("blue"))
        #expect(live.objects.map(\.number) == [3, 1])
        verses[2].text = "blue"
        try store.save()
        #expect(live.objects.map(\.number) == [3, 2])
        verses[3].number = 10
        try store.save()
        #expect(live.objects.map(\.number) == [2, 1])
    }

    @Test func whatIsPendingCountsIfAskedFor() throws {
        let (store, verses) = try open()
        let pending = try store.query(Verse.self)
            .liveSearch(SearchQuery("red"), includingPending: true)
        let saved = try store.query(Verse.self).liveSearch(SearchQuery("red"))
        verses[0].text = "red"
        #expect(pending.objects.count == 2 && saved.objects.count == 1)
        try saved.renew()
        #expect(saved.objects.count == 1)
        try store.save()
        #expect(pending.objects.count == 2 && saved.objects.count == 2)
    }

    @Test func aValueOfAQueryIsFoundAgain() throws {
        let (store, verses) = try open()
        var runs = 0
        let sum = try store.query(Verse.self).filter(#Predicate { $0.number >= 2 })
            .liveValue {
                runs += 1
                return try $0.sum(\.number)
            }
        #if DEBUG
            store.verifiesLiveQueries = false
        #endif
        #expect(sum.value == 5)
        verses[0].text = "other"
        try store.save()
        #expect(runs == 1)
        verses[0].number = 4
        try store.save()
        #expect(sum.value == 9 && runs == 2)
    }

    @Test func aListOfAConditionThatDependsOnMoreIsRenewed() throws {
        let (store, _) = try open()
        let limit = Mutex(2)
        let live = try store.query(Verse.self)
            .filter { verse in limit.withLock { verse.number < $0 } }.live()
        #if DEBUG
            store.verifiesLiveQueries = false
        #endif
        #expect(live.objects.count == 2)
        limit.withLock { $0 = 3 }
        try live.renew()
        #expect(live.objects.count == 3)
        try store.close()
        #expect(throws: StoreError.closed) { try live.renew() }
    }
}
