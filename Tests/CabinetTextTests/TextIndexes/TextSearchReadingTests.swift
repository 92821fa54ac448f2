import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// A class whose indexes say where words stand.
final class WordNote: StoredObject {
    @Field var title = ""
    @Field var body: String?
    @Field var year = 0

    convenience init(_ title: String, _ body: String? = nil) {
        self.init()
        (self.title, self.body) = (title, body)
    }

    override class var textIndexes: [TextIndex] {
        [.text(\WordNote.title), .text(\WordNote.body)]
    }
}

/// What searches keep, skip and leave out changes nothing of what they find.
@Suite("Text indexes: reading")
struct TextSearchReadingTests {
    private func title(_ store: Store) throws -> ClassText {
        try #require(
            store.searchableTexts(
                of: store.registered(WordNote.self), \WordNote.title
            ).first)
    }

    private func fill(_ store: Store, _ random: inout SeededRandom, _ count: Int) {
        for number in 0..<count {
            let note = WordNote(
                SearchWords.text(&random, upTo: 6),
                random.once(in: 3) ? nil : SearchWords.text(&random, upTo: 12))
            note.year = number
            store.insert(note)
        }
    }

    private static let queries: [SearchQuery] = {
        let texts = [
            "b*", "t* b*", "tr* OR ch*", "blue", "blue train", "\"blue train\"", "b* NOT blue",
            "title:t* body:b*", "NEAR(b* t*, 3)", "[[*rain*]]", "\"blue t\"*", "ελ* OR 青*",
            "nothing",
        ]
        let typed = ["b", "bl", "trian b", "choises", "beethowen t", "beathofen", "青い", "trainig"]
        return texts.compactMap { try? SearchQuery($0) } + typed.map { SearchQuery(typed: $0) }
    }()

    @Test("the best hits are the first of all hits", arguments: 1...2)
    func bestHits(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let store = try Store(inMemory: [WordNote.self])
        for round in 0..<3 {
            fill(store, &random, 256)
            try store.save()
            if round == 1 { try store.keepTexts(unmergedLimit: 1) }
            let notes = try store.objects(of: WordNote.self)
            for _ in 0..<40 {
                notes[random.below(notes.count)].title = SearchWords.text(&random, upTo: 6)
            }
            try store.delete(notes[random.below(notes.count)])
            if random.once(in: 2) { try store.save() }
            for query in Self.queries {
                let predicates = [nil, #Predicate<WordNote> { $0.year % 3 != 0 }]
                for predicate in predicates[random.below(2)...] {
                    let all = try store.search(WordNote.self, query, where: predicate)
                    let (limit, offset) = (random.below(30), random.below(4))
                    let best = try store.search(
                        WordNote.self, query, where: predicate, limit: limit, offset: offset)
                    #expect(best.totalCount == all.count)
                    let wanted = all.dropFirst(offset).prefix(limit)
                    #expect(best.map(\.object.rowID) == wanted.map(\.object.rowID))
                    #expect(best.map(\.score) == wanted.map(\.score))
                    #expect(best.map(\.typos) == wanted.map(\.typos))
                }
            }
        }
    }

    @Test("what is kept of an index goes with the commit that it is of")
    func keptStates() throws {
        var random = SeededRandom(seed: 5)
        let container = StoreContainer(inMemory: [WordNote.self])
        let (one, other) = (try container.makeStore(), try container.makeStore())
        fill(one, &random, 300)
        try one.save()
        func count(_ store: Store, _ text: String) throws -> Int {
            try store.search(
                WordNote.self, SearchQuery(typed: text), in: \.title
            ).totalCount
        }
        let before = try count(one, "beethowen")
        let state = try #require(title(one).known?.state)
        let dictionary = try #require(state.dictionary)
        #expect(dictionary.terms != nil)
        #expect(try count(one, "beethowen") == before)
        #expect(try title(one).known?.state === state)
        // Another store's commit is not seen before the store catches up.
        try other.refresh()
        other.insert(WordNote("Beethoven beethoven"))
        try other.save()
        #expect(try count(other, "beethowen") == before + 1)
        #expect(try count(one, "beethowen") == before)
        #expect(try title(one).known?.state === state)
        try one.refresh()
        #expect(try count(one, "beethowen") == before + 1)
        let next = try #require(title(one).known?.state)
        // The segments are the same, and so are their terms.
        #expect(next !== state && next.dictionary === dictionary)
        try one.keepTexts(unmergedLimit: 1)
        #expect(try count(one, "beethowen") == before + 1)
        #expect(try title(one).known?.state.dictionary !== dictionary)
        #expect(try count(other, "beethowen") == before + 1)
    }

    @Test("postings that are kept take a bounded amount of memory, and the last used stay")
    func keptPostings() throws {
        var random = SeededRandom(seed: 4)
        let store = try Store(inMemory: [WordNote.self])
        fill(store, &random, 300)
        try store.save()
        let text = try title(store)
        let entries = TextEntries(try #require(text.table), try store.readerForWalk())
        let limit = 8 << 10
        let state = try TextState(entries, postingsLimit: limit)
        let snapshot = try TextSnapshot(
            entries.table, hasLengths: true, entries.reader, state)
        var reader = PostingsReader(snapshot)
        let patterns = "abcdefghijklmnopqrst".utf8.map {
            TermPattern(kind: .prefix, term: [$0], offset: 0)
        }
        let rows = try patterns.map { try reader.rows([[$0]]) }
        for round in 0..<200 {
            let place = random.below(patterns.count)
            #expect(try reader.rows([[patterns[place]]]) == rows[place], "\(round)")
            #expect(state.keptSize <= limit)
            let isSmall = state.postings(of: patterns[place]).map { $0.size <= limit / 2 }
            #expect(isSmall != false)
        }
        #expect(state.keptSize > 0)
    }

    @Test("terms are the same in memory and where they stand")
    func dictionaries() throws {
        var random = SeededRandom(seed: 9)
        let store = try Store(inMemory: [WordNote.self])
        for _ in 0..<3 {
            for _ in 0..<300 {
                let words = (0..<4).map { _ in
                    String(
                        (0..<2 + random.below(6)).map { _ in
                            "aeinrst".randomElement(using: &random)!
                        })
                }
                store.insert(WordNote(words.joined(separator: " ")))
            }
            try store.save()
        }
        let text = try title(store)
        let snapshot = try #require(try text.snapshot(store.readerForWalk()))
        #expect(snapshot.segments.count == 3)
        let numbers = snapshot.segments.map(\.number)
        let inMemory = try TextDictionary(snapshot.entries, numbers)
        let inPlace = try TextDictionary(snapshot.entries, numbers, blocksLimit: 0)
        #expect(inMemory.terms != nil && inPlace.terms == nil)
        func all(_ dictionary: TextDictionary) throws -> [[UInt8]] {
            try dictionary.terms(snapshot.entries) { terms, found in
                for place in 0..<terms.count { found(place, 0) }
            }.map(\.term)
        }
        let terms = try all(inMemory)
        #expect(try all(inPlace) == terms)
        #expect(terms.count > 1000)
        for _ in 0..<30 {
            let word = terms[random.below(terms.count)]
            for limit in 1...2 {
                let pattern = word.withUnsafeBytes {
                    TypoPattern($0, limit: limit, isPrefix: random.once(in: 2))
                }
                func similar(_ dictionary: TextDictionary) throws -> [(term: [UInt8], typos: Int)] {
                    try dictionary.terms(snapshot.entries) { terms, found in
                        var scan = TypoScan(pattern)
                        scan.forEach(in: terms, found: found)
                    }
                }
                let (found, other) = (try similar(inMemory), try similar(inPlace))
                #expect(found.map(\.term) == other.map(\.term))
                #expect(found.map(\.typos) == other.map(\.typos))
                #expect(found.contains { $0.term == word && $0.typos == 0 })
            }
        }
    }

    /// Damage of an index is an error, or entries that are none are passed over: never a crash.
    @Test("any bytes in an index are refused or passed over")
    func damage() throws {
        var random = SeededRandom(seed: 3)
        let store = try Store(inMemory: [WordNote.self])
        fill(store, &random, 400)
        try store.save()
        let table = try #require(title(store).table)
        var entries: [([UInt8], [UInt8])] = []
        try TextEntries(table, store.reader).forEach(KeyRange()) { key, value in
            entries.append((Array(key), Array(value)))
            return true
        }
        #expect(entries.count > 20)
        for _ in 0..<40 {
            let (key, value) = entries[random.below(entries.count)]
            var (damagedKey, damaged) = (key, value)
            if random.once(in: 4) {
                damagedKey[random.below(key.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            for _ in 0..<1 + random.below(3) where !damaged.isEmpty {
                damaged[random.below(damaged.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            let batch = store.backend.makeBatch()
            try batch.put(damaged, for: damagedKey, in: table)
            try store.backend.commit(batch)
            try store.refresh()
            for query in Self.queries where random.once(in: 4) {
                do {
                    _ = try store.search(WordNote.self, query, limit: 5)
                } catch is DataBufferError {}
            }
            let repair = store.backend.makeBatch()
            if damagedKey != key { try repair.deleteKey(damagedKey, in: table) }
            try repair.put(value, for: key, in: table)
            try store.backend.commit(repair)
        }
        try store.refresh()
        #expect(try store.search(WordNote.self, "blue").totalCount > 0)
    }
}
