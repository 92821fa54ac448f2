import Testing

@testable import CabinetTextSearch

/// Typed queries with words that no field has as terms: stop words, and words of accents alone.
@Suite("Typed queries: words without terms")
struct TypedStopWordTests {
    private static let stopWords = SearchedField(
        name: "t", tokenizer: .words(stopWords: ["the", "and", "or"]))
    private static let stems = SearchedField(
        name: "t", tokenizer: .words(language: "en", stopWords: ["the", "and", "or"]))

    private func finds(_ query: SearchQuery, _ text: String, _ field: SearchedField) -> Bool {
        var matcher = SearchMatcher(CompiledSearch(query, [field]))
        return matcher.match([text]) != nil
    }

    @Test(arguments: [
        ("the blue", "The blue sea", true), ("blue the", "Blue sea", true),
        ("blue the", "Blue theory", true), ("blue the sea", "Blue sea", true),
        ("blue the sea", "Blue hill", false), ("and/or blue", "Blue and/or red", true),
        ("and/or blue", "Red", false), ("blue and/or", "Blue", true),
        ("blue theo", "Blue theory", true), ("blue theo", "Blue sea", false),
        ("the", "theory", true), ("the", "sea", false), ("and/or x", "x", true),
    ])
    func aStopWordIsPassedOver(_ typed: String, _ text: String, _ isFound: Bool) {
        for field in [Self.stopWords, Self.stems] {
            #expect(finds(SearchQuery(typed: typed), text, field) == isFound)
        }
    }

    /// What leans on a word that is not typed yet is in no text. Once, nothing was found until that began.
    @Test func elidedWordsArePassedOverWhileTheyAreTyped() {
        let french = SearchedField(name: "t", tokenizer: .words(language: "fr"))
        for text in ["Voici l'avion", "voici qu’elle vole", "Voici jusqu'ici"] {
            for end in text.indices.dropFirst(5) {
                let typed = String(text[...end])
                #expect(finds(SearchQuery(typed: typed), text, french), "\(typed)")
                #expect(!finds(SearchQuery(typed: typed), "ailleurs", french), "\(typed)")
            }
        }
        #expect(!finds(SearchQuery(typed: "voici m"), "ailleurs", french))
        #expect(finds(SearchQuery(typed: "l"), "les avions", french))
    }

    /// What is typed to its end finds what the same words find in a query.
    @Test(arguments: ["the blue sea", "blue and/or sea", "sea the blue"])
    func typedWordsFindWhatAQueryFinds(_ query: String) throws {
        for field in [Self.stopWords, Self.stems] {
            for text in ["The blue sea", "blue sea", "blue and/or sea", "sea", "the and or"] {
                #expect(
                    finds(SearchQuery(typed: query), text, field)
                        == finds(try SearchQuery(query), text, field), "\(query) in \(text)")
            }
        }
    }

    @Test(arguments: ["ـ", "ـ-ـ x", "ـ*", "ًٌ", "x ـ"])
    func accentsAloneAreNoWord(_ typed: String) {
        let stems = SearchedField(name: "t", tokenizer: .words(language: "en"))
        #expect(!finds(SearchQuery(typed: typed), "blue sea", stems))
        #expect(Tokenizer.words(language: "en").tokens(of: "ـ", for: .wholeWords).isEmpty)
        #expect(Tokenizer.words(language: "en").tokens(of: "ـ").isEmpty)
    }

    @Test func aStopWordThatIsTakenApartDoesNotCount() throws {
        let mail = SearchedField(name: "t", tokenizer: .words(stopWords: ["e-mail", "東京都"]))
        #expect(finds(try SearchQuery("mail"), "Mail order", mail))
        #expect(finds(try SearchQuery("京都"), "京都", mail))
        #expect(mail.tokenizer == Tokenizer.words)
    }
}
