import Testing
import TrustSupport

@testable import CabinetTextSearch

struct SearchQueryTests {
    private func word(_ text: String, _ kind: SearchLeaf.Kind = .term) -> SearchExpression {
        .leaf(SearchLeaf(text: text, kind: kind))
    }

    private func leaf(_ text: String, _ kind: SearchLeaf.Kind = .term) -> SearchLeaf {
        SearchLeaf(text: text, kind: kind)
    }

    @Test func queriesMeanWhatTheirTableSays() throws {
        let (a, b, c) = (word("a"), word("b"), word("c"))
        let expected: [(String, SearchExpression)] = [
            ("a", a), ("a b", .all([a, b])), ("a AND b && c", .all([a, b, c])),
            ("a OR b || c", .any([a, b, c])), ("a b OR c", .any([.all([a, b]), c])),
            ("a (b OR c)", .all([a, .any([b, c])])), ("(a b) c", .all([a, b, c])),
            ("a NOT b", .all([a, .not(b)])), ("a -b", .all([a, .not(b)])),
            ("-a b", .all([.not(a), b])), ("a (-b)", .all([a, .not(b)])),
            ("a&&b||c", .any([.all([a, b]), c])),
            ("a NOT (b OR c)", .all([a, .not(.any([b, c]))])),
            ("a*", word("a", .prefix)), ("\"a b\"", word("a b")),
            ("\"a b\"*", word("a b", .prefix)),
            ("“a b” „c”", .all([word("a b"), c])), ("\"say \"\"a\"\"\"", word("say \"a\"")),
            ("title:a", .field("title", position: 0, a)),
            ("b artist.name:\"a b\"", .all([b, .field("artist.name", position: 2, word("a b"))])),
            ("x:(a OR b)", .field("x", position: 0, .any([a, b]))),
            ("12:30 x:12:30", .all([word("12:30"), .field("x", position: 6, word("12:30"))])),
            ("NEAR(a b)", .near([leaf("a"), leaf("b")], distance: 10)),
            (
                "NEAR(a \"b c\" d*, 3)",
                .near([leaf("a"), leaf("b c"), leaf("d", .prefix)], distance: 3)
            ),
            ("[[a]]", a), ("[[a*]]", word("a", .prefix)), ("[[*a]]", word("a", .suffix)),
            ("[[*a*]]", word("a", .substring)), ("[[a b]] && c", .all([word("a b"), c])),
            ("[[ a ]]", word(" a ")), ("a-b (c- d)", .all(["a-b", "c-", "d"].map { word($0) })),
            ("e-mail R&B AC/DC &", .all([word("e-mail"), word("R&B"), word("AC/DC"), word("&")])),
            ("and or not near", .all(["and", "or", "not", "near"].map { word($0) })),
            ("東京 OR Ωμέγα*", .any([word("東京"), word("Ωμέγα", .prefix)])),
        ]
        for (text, expression) in expected {
            #expect(try SearchQuery(text).expression == expression, "\(text)")
        }
    }

    @Test(arguments: [
        ("", 0), ("  ", 2), ("a OR", 4), ("OR a", 0), ("a AND", 5), ("(a", 2), ("a)", 1), ("()", 1),
        ("é \"b", 3), ("[[a", 0), ("a [[b]", 2), ("-a", 0), ("a OR -b", 5), ("a NOT", 5),
        ("a NOT NOT b", 6), ("NOT a", 0), ("*a", 0), ("a*b", 1), ("a **", 2), ("NEAR(a b", 8),
        ("NEAR()", 5), ("NEAR(a, x)", 8), ("NEAR(a (b))", 7), ("x:-a", 2), ("x:OR", 2),
        ("a && ", 5), ("title:", 6), ("title: blue", 6), ("title : blue", 6), ("a :b", 2),
        ("(title:)", 7), ("[[]]", 2), ("[[*]]", 2), ("[[**]]", 2), ("[[bl*ue]]", 4),
        ("[[***]]", 3), ("blue]]", 4), ("[blue]", 0), ("a [[b]]]", 7), ("[[a[b]]", 3),
        ("blue -", 6),
        ("blue - red", 6), ("(blue -)", 7), ("\"\"", 0), ("NEAR(a x: b)", 9),
    ])
    func malformedQueriesSayWhere(_ text: String, _ position: Int) {
        #expect {
            try SearchQuery(text)
        } throws: {
            let error = $0 as? QuerySyntaxError
            return error?.position == position && error?.text == text
        }
    }

    @Test func errorsSayWhatIsWrong() {
        func reason(_ text: String) -> QuerySyntaxError.Reason? {
            do throws(QuerySyntaxError) {
                _ = try SearchQuery(text)
                return nil
            } catch { return error.reason }
        }
        #expect(reason("[[blue") == .unterminatedBrackets)
        #expect(reason("\"blue") == .unterminatedText)
        #expect(
            reason("title: blue")
                == .unexpected(found: " ", expected: "what to find right behind ':'"))
        #expect(reason("blue -") == .unexpected(found: "", expected: "a word right behind '-'"))
    }

    @Test func nestingIsLimited() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
        }
        #expect(try SearchQuery(nested(100)).expression == word("a"))
        for text in [nested(100_000), String(repeating: "x:", count: 100_000) + "a"] {
            #expect { try SearchQuery(text) } throws: {
                ($0 as? QuerySyntaxError)?.reason == .tooDeep
            }
        }
    }

    @Test func unknownFieldsAreNamed() throws {
        let query = try SearchQuery("a OR title:b nme:c")
        #expect(throws: Never.self) { try query.checkFields(known: ["title", "nme"]) }
        #expect { try query.checkFields(known: ["title"]) } throws: {
            let error = $0 as? QuerySyntaxError
            return error?.position == 13 && error?.reason == .unknownField("nme", known: ["title"])
        }
    }

    /// Any text is a query or has an error within it; as typed, it is always a query.
    @Test func anyTextIsReadOrRefused() {
        var random = SeededRandom(seed: RunSetting.seed)
        let pieces =
            [
                "(", ")", "\"", "”", "*", "-", "OR ", "AND ", "NOT ", "NEAR(", ",", " ", "[[", "]]",
                ":",
                "&&", "||", "5", "x",
            ] + ScriptSamples.words
        for _ in 0..<5000 {
            let text = (0..<random.below(10)).map { _ in pieces[random.below(pieces.count)] }
                .joined()
            do {
                let query = try SearchQuery(text)
                #expect(leaves(of: query).contains { $0.isWanted })
            } catch {
                #expect(0...text.utf8.count ~= error.position)
                #expect(!error.description.isEmpty)
            }
            let typed = SearchQuery(typed: text)
            #expect((typed.expression == nil) == text.allSatisfy(\.isWhitespace))
        }
    }

    private func leaves(of query: SearchQuery) -> [CompiledSearch.Leaf] {
        CompiledSearch(query, [SearchedField(name: "title", tokenizer: .words)]).leaves
    }

    @Test func typedQueriesForgiveByLength() {
        let typed = SearchQuery(typed: " beetho\tsymf ")
        #expect(
            typed.expression
                == .all([
                    word("beetho", .fuzzy(.automatic, isPrefix: false)),
                    word("symf", .fuzzy(.automatic, isPrefix: true)),
                ]))
        let limits = [1, 4, 5, 8, 9, 100].map { SearchTolerance.automatic.limit(letters: $0) }
        #expect(limits == [0, 0, 1, 1, 2, 2])
        #expect(SearchQuery(typed: " ").expression == nil)
        let long = SearchQuery(typed: String(repeating: "word ", count: 100_000))
        #expect(leaves(of: long).count == SearchQuery.typedWordLimit)
    }

    @Test func typedWordsAreCut() {
        let limit = SearchQuery.typedLetterLimit
        let letters = String(repeating: "b", count: limit)
        for (typed, isCut) in [(letters, false), (letters + "b", true)] {
            #expect(
                SearchQuery(typed: "\(typed) a").expression
                    == .all([
                        word(letters, .fuzzy(.automatic, isPrefix: isCut)),
                        word("a", .fuzzy(.automatic, isPrefix: true)),
                    ]))
        }
        let accents = SearchQuery(typed: String(repeating: "e\u{301}", count: 300_000))
        let counted = String(repeating: "e\u{301}", count: limit / 2)
        #expect(accents.expression == .all([word(counted, .fuzzy(.automatic, isPrefix: true))]))
    }

    @Test func toleranceBeyondTwoTraps() async {
        await #expect(processExitsWith: .failure) { _ = SearchTolerance.upTo(3) }
    }
}
