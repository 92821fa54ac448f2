import Foundation
import Testing
import TrustSupport

@testable import CabinetTextSearch

struct SearchMatcherTests {
    private static let two = [
        SearchedField(name: "title", tokenizer: .words),
        SearchedField(name: "lyrics", tokenizer: .words(language: "en", stopWords: ["the", "of"])),
    ]

    private func finds(
        _ query: String, _ texts: [String], _ fields: [SearchedField] = two
    ) throws -> Bool {
        var matcher = SearchMatcher(CompiledSearch(try SearchQuery(query), fields))
        return matcher.match(texts) != nil
    }

    @Test(arguments: [
        ("blue train", true), ("BLUE red", false), ("blue OR red", true), ("blue NOT train", false),
        ("blue -green", true), ("\"blue train\"", true), ("\"train blue\"", false),
        ("\"blue tra\"*", true), ("tra*", true), ("title:run", false), ("lyrics:run", true),
        ("lyrics:running", true), ("lyrics:runs", true), ("lyrics:runn*", true),
        ("lyrics:runs*", false),
        ("[[*unnin*]]", true), ("[[*rain]]", true), ("[[*rai]]", false), ("[[*lue tr*]]", true),
        ("[[*lue train]]", true), ("[[*ue trai]]", false), ("\"side of the sea\"", true),
        ("\"side sea\"", false), ("the side", true), ("the*", true), ("lyrics:the*", true),
        ("NEAR(side sea, 2)", true), ("NEAR(sea side, 2)", true), ("NEAR(side sea, 1)", false),
        ("NEAR(blue sea)", false), ("\"—\"", false), ("— blue", true), ("— -blue", false),
        ("\"—\" -green", false), ("title:(blue lyrics:run)", true), ("nowhere:blue", false),
        ("title:blue -nowhere:blue", true), ("the blue", true), ("the red", false),
        ("e-mail", false),
    ])
    func queriesFindWhatTheyShould(_ query: String, _ isFound: Bool) throws {
        let texts = ["Blue Train", "Running along, on the side of the sea; they run"]
        #expect(try finds(query, texts) == isFound)
    }

    @Test(arguments: [
        ("東", "東京都"), ("京都", "東京都"), ("東京都", "東京都へ"), ("カタ", "カタカナ"), ("ガ", "ｶﾞ"), ("กรุง", "กรุงเทพ"),
        ("ท", "กรุงเทพ"), ("서울", "서울특별시"), ("[[*京*]]", "東京都"), ("東京*", "東京都"),
        ("dvorak", "Dvořák"), ("ЕЛКА", "Ёлка"), ("Σισυφος", "ΣΊΣΥΦΟΣ"),
        ("العربيه OR العربية", "العَرَبِيَّة"),
        ("कलम", "क़लम"), ("हिन्दी", "हिन्दी गीत"), ("👩‍🚀", "👩🏽‍🚀!"), ("🇫🇷", "🇩🇪🇫🇷"), ("gitar*", "Gitarre"),
    ])
    func scriptsAreFound(_ query: String, _ text: String) throws {
        #expect(try finds(query, [text], [SearchedField(name: "t", tokenizer: .words)]))
        #expect(
            try !finds(query, ["something else 別"], [SearchedField(name: "t", tokenizer: .words)]))
    }

    /// With terms of three scalars a query finds every text that contains its folded text.
    @Test func substringsAreFoundAnywhere() throws {
        let fields = [SearchedField(name: "t", tokenizer: .substring)]
        func folded(_ text: String) -> [String] {
            Tokenizer.substring.tokens(of: text).map { String($0.term.unicodeScalars.prefix(1)) }
        }
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<400 {
            let text = ScriptSamples.words[random.below(ScriptSamples.words.count)]
            let other = ScriptSamples.words[random.below(ScriptSamples.words.count)]
            let scalars = Array(other.unicodeScalars)
            let start = random.below(scalars.count)
            let part = scalars[start..<min(start + 1 + random.below(5), scalars.count)]
            let query = String(String.UnicodeScalarView(part))
            let wanted = folded(query)
            guard !wanted.isEmpty, !query.contains("\"") else { continue }
            let whole = folded(text)
            let isIn = whole.indices.contains { whole[$0...].starts(with: wanted) }
            #expect(try finds("\"\(query)\"", [text], fields) == isIn, "\(query) in \(text)")
        }
    }

    /// What stands in a text of a script without spaces is marked as it stands, and counted once.
    @Test(arguments: [
        ("[[*京*]]", "東京都へ", ["京"]), ("[[*京]]", "東京都へ", ["京"]), ("東*", "東京都へ", ["東"]),
        ("[[*京都*]]", "東京都へ", ["京都"]), ("[[*ย*]]", "ไทย", ["ย"]),
    ])
    func partsOfUnspacedTextsAreMarkedOnce(
        _ query: String, _ text: String, _ marked: [String]
    ) throws {
        let field = SearchedField(name: "t", tokenizer: .words)
        for query in [try SearchQuery(query), SearchQuery(typed: marked[0])] {
            var matcher = SearchMatcher(CompiledSearch(query, [field]))
            let hit = matcher.match([text])
            let match = try #require(hit)
            #expect(match.ranges(in: text, field: 0).map { String(text[$0]) } == marked)
            #expect(match.frequencies == [[marked.count]])
        }
    }

    /// A leaf shorter than a term is the beginning of one: the term was marked in its place.
    @Test(arguments: [
        ("r", "the rain in Spain", ["r"]), ("ra", "the rain in Spain", ["ra"]),
        ("n", "the rain in Spain", ["n", "n", "n"]), ("e", "the rain", ["e"]),
        ("ra sp", "the rain in Spain", ["ra", "Sp"]), ("s", "Straße", ["S", "ß"]),
        ("rain", "the rain in Spain", ["rain"]), ("\"in sp\"", "in Spain", ["in Sp"]),
        ("[[*ai*]]", "the rain in Spain", ["ai", "ai"]), ("e", "ÉTÉ", ["É", "É"]),
    ])
    func partsAreMarkedAsTheyStand(_ query: String, _ text: String, _ marked: [String]) throws {
        let fields = [SearchedField(name: "t", tokenizer: .substring)]
        var queries = [try SearchQuery(query)]
        if query.allSatisfy({ $0.isLetter || $0 == " " }) {
            queries.append(SearchQuery(typed: query))
        }
        for query in queries {
            var matcher = SearchMatcher(CompiledSearch(query, fields))
            let hit = matcher.match([text])
            let match = try #require(hit)
            #expect(match.ranges(in: text, field: 0).map { String(text[$0]) } == marked)
        }
    }

    @Test func matchesCountAndHighlight() throws {
        let texts = ["Blue blue Train", "The blues: ŸBLUE e\u{301}t blue"]
        let search = CompiledSearch(try SearchQuery("blu* OR \"blue train\" NOT red"), Self.two)
        var matcher = SearchMatcher(search)
        let found = matcher.match(texts)
        let match = try #require(found)
        #expect(match.frequencies == [[2, 2], [1, 0]])
        #expect(match.wordCounts == [3, 5])
        let shown = texts.indices.map { field in
            match.ranges(in: texts[field], field: field).map { texts[field][$0] }
        }
        #expect(shown == [["Blue", "blue Train"], ["blues", "blue"]])
        #expect(match.typos == 0)
        let twice = matcher.match(texts)
        #expect(twice == match)
    }

    @Test func typosAreForgivenAndCounted() {
        func typos(_ typed: String, _ text: String) -> Int? {
            var matcher = SearchMatcher(CompiledSearch(SearchQuery(typed: typed), Self.two))
            return matcher.match([text, ""])?.typos
        }
        #expect(typos("beetho symf", "Beethoven: Symphonie") == nil)
        #expect(typos("beetho symfo", "Beethoven: Symphonie") == nil)
        #expect(typos("bethoven sym", "Beethoven: Symphonie") == 1)
        #expect(typos("beethovne symphonei", "Beethoven: Symphonie") == 2)
        #expect(typos("beethoven sy", "Beethoven: Symphonie") == 0)
        #expect(typos("\"(*", "Beethoven") == nil)
        #expect(typos("東京", "東京都") == 0)
        #expect(typos("щелкунчк", "Щелкунчик") == 1)
    }

    /// Results of a typed query with more typos come later; the count is what they are ordered by.
    @Test func stemsAreFoundByTypedWords() {
        let field = [SearchedField(name: "t", tokenizer: .words(language: "en"))]
        for typed in ["running", "runs", "run", "runni", "runing"] {
            var matcher = SearchMatcher(CompiledSearch(SearchQuery(typed: typed), field))
            #expect(matcher.match(["He was running"]) != nil, "\(typed)")
        }
    }

    @Test func longTextsAreSearched() throws {
        let million = String(repeating: "a", count: 1 << 20)
        #expect(try finds("a*", [million, ""]))
        #expect(try finds("[[a]]", [million, ""]) == false)
        let many = String(repeating: "ab ", count: 100_000)
        var matcher = SearchMatcher(CompiledSearch(try SearchQuery("\"ab ab\""), Self.two))
        #expect(matcher.match([many, ""])?.frequencies == [[99_999, 0]])
    }

    /// Of many words each term of a text is asked for once, by its hash.
    @Test func manyWordsAreFound() throws {
        // With the operators between them as many as a search may have.
        let words = (0..<SearchQuery.wordLimit / 2).map { String($0, radix: 36) }
        let fields = [SearchedField(name: "t", tokenizer: .words)]
        let any = CompiledSearch(try SearchQuery(words.joined(separator: " OR ")), fields)
        let all = CompiledSearch(try SearchQuery(words.prefix(2000).joined(separator: " ")), fields)
        var (one, every) = (SearchMatcher(any), SearchMatcher(all))
        for number in [0, 77, words.count - 1] {
            let text = "x-y \(words[number]) z zz zzzz \(words[number]) \(words[5]) none"
            let match = one.match([text])
            let found = try #require(match)
            let counts = Dictionary(grouping: text.split { " -".contains($0) }.map(String.init)) {
                $0
            }
            #expect(found.frequencies == words.map { [counts[$0]?.count ?? 0] })
            #expect(every.match([text]) == nil)
        }
        let reversed = words.prefix(2000).reversed().joined(separator: ", ")
        #expect(every.match([reversed])?.frequencies == Array(repeating: [1], count: 2000))
        #expect(every.match([String(reversed.dropLast(2))]) == nil)
    }

    @Test func snippetsShowWhereMostIs() throws {
        let text = "One two three four five six blue seven eight\nnine blue train ten eleven twelve"
        var matcher = SearchMatcher(
            CompiledSearch(
                try SearchQuery("blue train"), [SearchedField(name: "t", tokenizer: .words)]))
        let hit = matcher.match([text])
        let match = try #require(hit)
        let snippet = SearchSnippet(text, match.ranges(in: text, field: 0), length: 24)
        #expect(snippet.text == "…blue train ten eleven…")
        #expect(snippet.ranges.map { snippet.text[$0] } == ["blue", "train"])
        let runs = snippet.attributedText.runs.filter { $0[FoundTextAttribute.self] == true }
        #expect(
            runs.map { String(snippet.attributedText[$0.range].characters) } == ["blue", "train"])
        #expect(SearchSnippet(text, [], length: 9).text == "One two…")
        #expect(SearchSnippet("", [], length: 9).text == "")
        let whole = SearchSnippet(text, match.ranges(in: text, field: 0), length: 1000)
        #expect(whole.text == text.replacing("\n", with: " ") && whole.ranges.count == 3)
    }

    @Test func snippetsOfAnyTextHoldTheirRanges() throws {
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<300 {
            let text = (0..<5).map { _ in
                ScriptSamples.words[random.below(ScriptSamples.words.count)]
            }
            .joined(separator: random.once(in: 2) ? " " : "\n")
            let tokens = Tokenizer.words.tokens(of: text)
            let range = tokens[random.below(tokens.count)].range
            let word = String(decoding: Array(text.utf8)[range], as: UTF8.self)
            var matcher = SearchMatcher(
                CompiledSearch(
                    SearchQuery(typed: word), [SearchedField(name: "t", tokenizer: .words)]))
            let hit = matcher.match([text])
            let match = try #require(hit, "\(word) in \(text)")
            let found = match.ranges(in: text, field: 0)
            let snippet = SearchSnippet(text, found, length: 1 + random.below(60))
            #expect(!snippet.ranges.isEmpty)
            for range in snippet.ranges {
                let part = snippet.text[range]
                #expect(found.contains { text[$0].contains(part) || part.contains("…") }, "\(part)")
            }
            #expect(String(snippet.attributedText.characters) == snippet.text)
        }
    }
}
