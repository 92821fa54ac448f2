import CabinetBackend
import CabinetMemory
import CabinetSQLite
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel
@testable import CabinetTextSearch

/// What a search finds by the indexes is what a look through all texts finds, with the scores that follow
/// from the definition.
@Suite("Text indexes: searches against a scan")
struct TextIndexModelTests {
    /// A hit of the reference: found by a look through every object.
    private struct Expected: Equatable {
        let row: RowID
        let typos: Int
        let score: Double
    }

    private func expected(
        _ query: SearchQuery, _ notes: [SearchedNote], _ fields: [SearchedField]
    ) -> [Expected] {
        let search = CompiledSearch(query, fields)
        var matcher = SearchMatcher(search)
        var looks: [(note: SearchedNote, isMatch: Bool, found: SearchMatch)] = []
        for note in notes {
            let texts = fields.map { field in
                switch field.name {
                case "title": note.title
                case "body": note.body ?? ""
                default: note.code
                }
            }
            guard let (isMatch, found) = matcher.look(through: texts) else { return [] }
            looks.append((note, isMatch, found))
        }
        let counts = fields.map { field in
            field.name == "body" ? notes.filter { $0.body != nil }.count : notes.count
        }
        return looks.filter(\.isMatch).map { note, _, found in
            var score = 0.0
            for leaf in found.frequencies.indices {
                for field in fields.indices where found.frequencies[leaf][field] > 0 {
                    let having = Double(
                        looks.filter { $0.found.frequencies[leaf][field] > 0 }.count)
                    let lengths = looks.map { Double($0.found.wordCounts[field]) }
                    let average = max(lengths.reduce(0, +) / Double(counts[field]), 1)
                    let idf = log(1 + (Double(counts[field]) - having + 0.5) / (having + 0.5))
                    let count = Double(found.frequencies[leaf][field])
                    let length = Double(found.wordCounts[field]) / average
                    score += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length))
                }
            }
            return Expected(row: note.rowID, typos: found.typos, score: score)
        }
        .sorted { one, other in
            if one.typos != other.typos { return one.typos < other.typos }
            if one.score != other.score { return one.score > other.score }
            return one.row < other.row
        }
    }

    private func compare(
        _ store: Store, _ query: SearchQuery, in property: PartialKeyPath<SearchedNote>?,
        _ note: String
    ) throws {
        let storedClass = try store.registered(SearchedNote.self)
        let texts = try store.searchableTexts(of: storedClass, property)
        let fields = texts.map { SearchedField(name: $0.name, tokenizer: $0.index.tokenizer) }
        let wanted = expected(query, try store.objects(of: SearchedNote.self), fields)
        let results =
            try property.map { try store.search(SearchedNote.self, query, in: $0) }
            ?? store.search(SearchedNote.self, query)
        let label = "'\(query.text)' \(note), plan \(results.plan)"
        #expect(results.totalCount == wanted.count, "\(label)")
        #expect(
            Set(results.map(\.object.rowID)) == Set(wanted.map(\.row)), "\(label)")
        let byRow = Dictionary(wanted.map { ($0.row, $0) }, uniquingKeysWith: { one, _ in one })
        for hit in results {
            guard let other = byRow[hit.object.rowID] else { continue }
            #expect(hit.typos == other.typos, "\(label)")
            #expect(abs(hit.score - other.score) < 1e-9, "\(label) \(hit.score) \(other.score)")
        }
        for (one, other) in zip(results, results.dropFirst()) {
            #expect(
                one.typos < other.typos || one.typos == other.typos && one.score >= other.score)
        }
        let inOrder =
            try property.map {
                try store.query(SearchedNote.self).search(query, in: $0, orderedBy: .row)
            } ?? store.query(SearchedNote.self).search(query, orderedBy: .row)
        #expect(inOrder.map(\.object.rowID) == wanted.map(\.row).sorted(), "\(label), by row")
        #expect(
            inOrder.allSatisfy { $0.typos == byRow[$0.object.rowID]?.typos }, "\(label), by row")
        #expect(inOrder.allSatisfy { $0.score == 0 }, "\(label), by row")
    }

    private func run(_ seed: UInt64, _ store: Store, steps: Int, upkeep: (Store) throws -> Void)
        throws
    {
        var random = SeededRandom(seed: seed)
        let history = store.undoHistory
        history.isEnabled = true
        var notes: [SearchedNote] = []
        func any(_ random: inout SeededRandom) -> SearchedNote? {
            let live = notes.filter { $0.storedClass != nil && !$0.isDeleted }
            return live.isEmpty ? nil : live[random.below(live.count)]
        }
        for step in 0..<steps {
            switch random.below(100) {
            case 0..<25:
                let note = SearchedNote(SearchWords.text(&random, upTo: 5))
                if random.once(in: 2) { note.body = SearchWords.text(&random, upTo: 12) }
                note.code = SearchWords.text(&random, upTo: 2)
                store.insert(note)
                notes.append(note)
            case 25..<45:
                guard let note = any(&random) else { continue }
                switch random.below(4) {
                case 0: note.body = SearchWords.text(&random, upTo: 12)
                case 1: note.code = SearchWords.text(&random, upTo: 3)
                case 2: note.year += 1
                default: note.title = SearchWords.text(&random, upTo: 5)
                }
            case 45..<52: if let note = any(&random) { try store.delete(note) }
            case 52..<58: if history.canUndo { try history.undo() }
            case 58..<61: if history.canRedo { try history.redo() }
            case 61..<63: store.rollback()
            case 63..<66: try upkeep(store)
            case 66..<78: try store.save()
            default:
                let property: PartialKeyPath<SearchedNote>? =
                    [nil, nil, \SearchedNote.title, \SearchedNote.body, \SearchedNote.code][
                        random.below(5)]
                let text = SearchWords.query(&random)
                let query: SearchQuery
                if random.once(in: 4) {
                    query = SearchQuery(typed: text)
                } else {
                    guard let parsed = try? SearchQuery(text) else { continue }
                    if property != nil, text.contains(":") { continue }
                    query = parsed
                }
                try compare(store, query, in: property, "seed \(seed), step \(step)")
            }
        }
    }

    @Test("random texts, edits, undos and searches in memory", arguments: RunSetting.seeds(6))
    func inMemory(seed: UInt64) throws {
        let store = try Store(inMemory: [SearchedNote.self])
        try run(seed, store, steps: 500) { store in
            try store.save()
            try store.keepTexts(unmergedLimit: 1)
        }
    }

    @Test("the same in files, over relaunches", arguments: RunSetting.seeds(2))
    func inFiles(seed: UInt64) throws {
        let temporary = try TemporaryStore([SearchedNote.self])
        for round in 0..<3 {
            try run(seed * 10 + UInt64(round), temporary.store, steps: 150) { store in
                try store.save()
                try store.keepTexts(unmergedLimit: 1)
            }
            try temporary.reopen()
        }
    }

    #if SQLite
        /// What is in memory after the same steps is the same; then the file is opened again.
        @Test("the same in a file of SQLite's", arguments: RunSetting.seeds(3))
        func inSQLite(seed: UInt64) throws {
            let directory = try TemporaryDirectory()
            func open() throws -> Store {
                try Store(
                    backend: SQLiteBackend(
                        path: directory.path + "Store.sqlite", durability: .process),
                    classes: [SearchedNote.self])
            }
            func play(_ store: Store, _ seed: UInt64) throws {
                try run(seed, store, steps: 150) { store in
                    try store.save()
                    try store.keepTexts(unmergedLimit: 1)
                }
                try store.save()
            }
            let stores = [
                try Store(backend: MemoryBackend(), classes: [SearchedNote.self]), try open(),
            ]
            let exports = try stores.enumerated().map { index, store in
                try play(store, seed)
                let file = directory.url.appending(path: "\(index).json")
                _ = try store.json.export(to: file)
                return try Data(contentsOf: file)
            }
            #expect(exports[0] == exports[1], "seed \(seed)")
            try stores[1].close()
            for round in 1...2 as ClosedRange<UInt64> {
                let store = try open()
                try play(store, seed * 10 + round)
                try store.close()
            }
        }
    #endif

    /// A word of a script without spaces ended where its last pair of letters begins.
    @Test("words between are counted from the end of a word whose letters are counted one by one")
    func nearInScriptsWithoutSpaces() throws {
        let store = try Store(inMemory: [SearchedNote.self])
        store.insert(SearchedNote("night 日本語 elan", "night 日本語 elan", code: "abc日本語xy"))
        for _ in 0..<TextKeeper.segmentFrom { store.insert(SearchedNote("")) }
        let found = [
            ("NEAR(日本語 elan, 0)", true), ("NEAR(elan 日本語, 0)", true),
            ("NEAR(night 日本語, 0)", true), ("NEAR(night elan, 2)", false),
            ("NEAR(night elan, 3)", true), ("NEAR(日本 elan, 0)", false),
            ("NEAR(日本 elan, 1)", true), ("NEAR(日 本, 0)", true), ("NEAR(日 語, 0)", false),
            ("NEAR(日本語* elan, 0)", true), ("NEAR([[*日本語]] elan, 0)", true),
            ("NEAR(日 elan, 1)", false), ("NEAR(日 elan, 2)", true),
        ]
        let properties: [PartialKeyPath<SearchedNote>] = [\.title, \.body]
        for phase in ["pending", "in a segment"] {
            for (query, isFound) in found {
                for property in properties {
                    #expect(
                        try store.search(SearchedNote.self, query, in: property).isEmpty != isFound,
                        "\(query) \(phase)")
                }
                try compare(store, try SearchQuery(query), in: nil, phase)
            }
            for (query, isFound) in [("NEAR(abc 日本, 0)", true), ("NEAR(abc xy, 2)", false)] {
                #expect(
                    try store.search(SearchedNote.self, query, in: \.code).isEmpty != isFound,
                    "\(query) \(phase)")
            }
            try store.save()
        }
    }

    @Test("many inserted at once become segments, and segments of one size one")
    func manyAtOnce() throws {
        var random = SeededRandom(seed: 7)
        let store = try Store(inMemory: [SearchedNote.self])
        for _ in 0..<6 {
            for _ in 0..<300 {
                store.insert(
                    SearchedNote(
                        SearchWords.text(&random, upTo: 6), SearchWords.text(&random, upTo: 9)))
            }
            try store.save()
        }
        let storedClass = try store.registered(SearchedNote.self)
        let title = try #require(
            store.searchableTexts(of: storedClass, \SearchedNote.title).first)
        func segments() throws -> Int {
            try TextSnapshot(try #require(title.table), hasLengths: true, store.reader).segments
                .count
        }
        #expect(try segments() == 6)
        try store.keepTexts()
        #expect(try segments() < 4)
        for text in ["blue", "tra*", "\"blue train\"", "[[*rain*]]", "train OR choice -blue"] {
            try compare(store, try SearchQuery(text), in: nil, "merged")
        }
        try compare(store, SearchQuery(typed: "beethowen trian"), in: nil, "typed")
    }
}
