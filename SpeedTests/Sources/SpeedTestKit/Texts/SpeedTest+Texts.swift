import CRivals
import Cabinet

extension SpeedTest {
    /// The tests of `FullTextInsertTest`, `FullTextFetchTest` and `FullTextTypedTest`: text indexes
    /// beside SQLite's FTS5.
    static let texts = textInsertions + textSaves + textSearches + keystrokes

    private static let two: [Engine] = [.cabinet, .sqlite]

    private static let textInsertions = [
        insertion("FullTextInsert.words", .insertTitleWords, Expected.all),
        insertion("FullTextInsert.substrings", .insertTitleParts, Expected.all),
        insertion(
            "FullTextInsert.manual",
            Work(
                cabinet: TextWork.insert(.words, Corpus.manual), sqlite: sqlite_insert_manual),
            Expected.sections),
    ]

    private static func insertion(
        _ name: String, _ work: Work, _ expected: @escaping @Sendable (Job) -> Proof
    ) -> SpeedTest {
        SpeedTest(
            name: name, unit: "text", things: "texts", work: work, expected: expected, engines: two)
    }

    private static let textSaves = [
        save("FullTextInsert.saveWithout", nil, .insertTitlesAlone, sqlite_save_titles_alone),
        save("FullTextInsert.save", .words, .insertTitleWords, sqlite_save_title_words),
    ]

    private static func save(
        _ name: String, _ tokenizer: Tokenizer?, _ preparation: Work,
        _ rival: @escaping Work.RivalCall
    ) -> SpeedTest {
        SpeedTest(
            name: name, unit: "save", things: "titles", stepShare: 0.001, isFull: false,
            preparation: preparation,
            work: Work(cabinet: TextWork.saveTitles(tokenizer), sqlite: rival),
            expected: Expected.everyOtherStep, engines: two)
    }

    private static let textSearches = [
        search(
            "FullTextFetch.word", 0.0001,
            Work(
                cabinet: TextWork.search(.words, speed_search_word), sqlite: sqlite_search_word),
            Expected.words),
        search(
            "FullTextFetch.wordRanked", 0.0001,
            Work(
                cabinet: TextWork.search(.words, speed_search_word, orderedBy: .relevance),
                sqlite: sqlite_search_word_ranked),
            Expected.words),
        search(
            "FullTextFetch.best", 0.00002,
            Work(
                cabinet: TextWork.search(
                    .words, speed_search_frequent, orderedBy: .relevance, limit: 20),
                sqlite: sqlite_search_best),
            Expected.best),
        search(
            "FullTextFetch.phrase", 0.0001,
            Work(
                cabinet: TextWork.search(.words, speed_search_phrase) { "\"\($0)\"" },
                sqlite: sqlite_search_phrase),
            Expected.phrases),
        search(
            "FullTextFetch.substring", 0.0001,
            Work(
                cabinet: TextWork.search(.substring, speed_search_substring) { "[[*\($0)*]]" },
                sqlite: sqlite_search_part),
            Expected.parts, .insertTitleParts, "titles by parts"),
    ]

    private static func search(
        _ name: String, _ share: Double, _ work: Work,
        _ expected: @escaping @Sendable (Job) -> Proof, _ preparation: Work = .insertTitleWords,
        _ stock: String = "titles"
    ) -> SpeedTest {
        SpeedTest(
            name: name, unit: "search", things: "titles", stepShare: share,
            preparation: preparation, stock: stock, work: work, expected: expected, engines: two)
    }

    private static let keystrokes = [
        typing("FullTextTyped.first.p50", .first, 0.5),
        typing("FullTextTyped.first.p99", .first, 0.99),
        typing("FullTextTyped.later.p50", .later, 0.5),
        typing("FullTextTyped.later.p99", .later, 0.99),
    ]

    private static func typing(
        _ name: String, _ keystrokes: TypedWork.Keystrokes, _ share: Double
    ) -> SpeedTest {
        SpeedTest(
            name: name, unit: "keystroke", things: "titles", stepShare: 0.0001,
            preparation: .insertTitleWords, stock: "titles",
            work: Work(cabinet: TypedWork.type(keystrokes, share: share)),
            expected: TypedWork.expected(keystrokes), engines: [.cabinet])
    }
}

extension Expected {
    /// The song of each step where a step makes two choices, the first of which is the song.
    @Sendable static func everyOtherStep(_ job: Job) -> Proof {
        var proof = Proof()
        var choices = job.choices
        for _ in 0..<job.steps {
            proof.add(choices.next())
            _ = choices.next()
        }
        return proof
    }
}

extension Work {
    static let insertTitleWords = Work(
        cabinet: TextWork.insert(.words), sqlite: sqlite_insert_title_words)
    static let insertTitleParts = Work(
        cabinet: TextWork.insert(.substring), sqlite: sqlite_insert_title_parts)
    static let insertTitlesAlone = Work(
        cabinet: TextWork.insert(nil), sqlite: sqlite_insert_titles_alone)
}
