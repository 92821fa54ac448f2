import Cabinet
import Foundation
import Testing
import TrustSupport

struct TextQueryTests {
    let store: Store

    init() throws {
        let catalogue = try Catalogue()
        for index in 0..<30 {
            let piece = Piece("Piece \(index)", year: 1950 + index, rating: Int32(index % 4))
            piece.subtitle = index % 3 == 0 ? nil : "it's \(index)"
            piece.score = index == 5 ? .nan : Double(index) / 4
            piece.tempo = Float(index) / 10
            piece.plays = index % 2 == 0 ? nil : UInt64(index)
            piece.released = Date(timeIntervalSince1970: Double(index) * 86_400)
            piece.isLive = index % 5 == 0
            piece.mood = Temper.allCases[index % 3]
            piece.tags = index % 4 == 0 ? ["a", "b"] : ["c"]
            piece.price = Decimal(index) / 10
            catalogue.store.insert(piece)
        }
        store = try catalogue.reopened()
    }

    /// How many pieces meet it; the same for records and for objects in memory.
    func count(_ text: QueryText, _ parameters: any QueryParameter...) throws -> Int {
        let query = QueryText(text.text, parameters: parameters)
        let cold = try store.query(Piece.self).filter(text: parameters.isEmpty ? text : query)
            .count()
        let held = try store.objects(of: Piece.self)
        let warm = try store.query(Piece.self).filter(text: parameters.isEmpty ? text : query)
            .count()
        #expect(cold == warm && held.count == 30)
        return cold
    }

    @Test func comparisonsMeanWhatTheySay() throws {
        #expect(try count("year > 1970") == 9)
        #expect(try count("1970 <= year") == 10)
        #expect(try count("year > 1970.5 and year <> 1975") == 8)
        #expect(try count("NOT year >= 1960 AND (rating = 1 OR rating == 2)") == 5)
        #expect(try count("title = 'Piece 7' or title = \"Piece 8\"") == 2)
        #expect(try count("subtitle = 'it''s 7'") == 1)
        #expect(try count("subtitle IS NULL") == 10)
        #expect(try count("subtitle is not null and subtitle > 'it''s 5'") == 2)
        #expect(try count("plays != 3") == 29)
        #expect(try count("plays < 4") == 2)
        #expect(try count("plays = NULL") == 15)
        #expect(try count("score > 2") == 21)
        #expect(try count("score != 2") == 29)
        #expect(try count("tempo = 0.7") == 1)
        #expect(try count("price >= 2.5 and price < 2.75") == 3)
        #expect(try count("isLive") == 6)
        #expect(try count("not isLive and isLive = false") == 24)
        #expect(try count("mood = 2") == 10)
        #expect(try count("released >= '1970-01-20' and released < '1970-01-25T00:00:00Z'") == 5)
        #expect(try count("rating IN (1, 3)") == 15)
        #expect(try count("rating NOT IN (1, 3, 7.5)") == 15)
        #expect(try count("rating in ()") == 0)
        #expect(try count("year BETWEEN 1960 AND 1969") == 10)
        #expect(try count("title BEGINSWITH 'Piece 1'") == 11)
        #expect(try count("title not contains '1'") == 18)
        #expect(try count("title contains '' and title beginswith ''") == 30)
        let many = (0..<20_000).map { "\($0)" }.joined(separator: ", ")
        #expect(try count(QueryText("year in (" + many + ") and rating in (0)")) == 8)
        #expect(try count("tags contains 'a' and `year` < 1960") == 3)
        #expect(try count("") == 30)
        #expect(try count("true and not false") == 30)
        #expect(
            try count(
                "rating > -1 and year < 1e4 and year < 170141183460469231731687303715884105728")
                == 30)
    }

    @Test func parametersAreValues() throws {
        #expect(try count("year > ? AND title != ?", 1970, "' OR true") == 9)
        #expect(try count("released = ?", Date(timeIntervalSince1970: 86_400)) == 1)
        #expect(try count("plays = ?", Int?.none) == 15)
        #expect(try count("price = ?", Decimal(string: "0.3") ?? 0) == 1)
        let (title, year) = ("Piece 1' OR true OR title = '?", 1950)
        #expect(try count("title = \(title)") == 0)
        #expect(try count("title = \("Piece 1") AND year > \(year)") == 1)
        let mixed: QueryText = "year > \(1960) and rating = ?"
        #expect(try store.query(Piece.self).filter(text: mixed, 1).count() == 5)
    }

    @Test func ordersAndWindowsAreApplied() throws {
        let found = try store.query(Piece.self).filter(
            text: "rating = ? ORDER BY plays DESC, title LIMIT 3 OFFSET 1", 1
        ).objects()
        #expect(found.map(\.year) == [1975, 1971, 1967].map { $0 })
        let nothing = try store.query(Piece.self).filter(
            text: "order by score, year desc limit ?", 2
        ).objects()
        #expect(nothing.map(\.year) == [1950, 1951])
        let last = try store.query(Piece.self).filter(text: "order by score desc limit 1").objects()
        #expect(last.first?.score.isNaN == true)
        let query = try ObjectQuery<Piece>().filter(text: "year > 1970 ORDER BY title LIMIT 5")
        #expect(
            try store.query(query).explain().description == """
                scan Piece: 30 rows
                keep year > 1970: 9 rows
                sort by title, the first 5: 5 rows
                at most 5: 5 rows
                """)
    }

    @Test(arguments: [
        ("year >", 6, "The text ends where a value is expected"),
        (
            "year > 5 rating", 9,
            "Found 'rating' in place of AND, OR, ORDER BY, LIMIT, OFFSET or the end"
        ),
        ("yeer = 5", 0, "There is no field 'yeer'"),
        ("year = 5 AND (rating = 1", 24, "The text ends where ')' is expected"),
        ("title = 'abc", 8, "The quoted text has no end"),
        ("title > 5", 8, "The field 'title' is of type String, which cannot be compared so"),
        ("year = 'x'", 7, "The field 'year' is of type Int, which cannot be compared so"),
        ("released > 'soon'", 11, "The field 'released' is of type Date?, which"),
        ("tags = 'a'", 7, "The field 'tags' is of type [String]"),
        ("maker = 5", 8, "The field 'maker' is of type One<Maker>"),
        ("year", 0, "The field 'year' is of type Int"),
        ("year = ?", 7, "There is no parameter for this '?'"),
        ("year = 12x", 7, "'12x' is no number"),
        ("limit -1", 6, "'-1' is no number"),
        ("limit x", 6, "Found 'x' in place of a number of rows"),
        ("limit 1 limit 2", 8, "Found 'limit' in place of OFFSET or the end"),
        ("limit 1 offset 2 order by year", 17, "Found 'order' in place of the end"),
        ("order by year rating", 14, "Found 'rating' in place of ASC, DESC, a comma, LIMIT"),
        ("ORDER year", 6, "Found 'year' in place of BY"),
        ("order by tags", 9, "The field 'tags' is of type [String]"),
        ("year not 5", 9, "Found '5' in place of IN, BETWEEN, BEGINSWITH, CONTAINS or LIKE"),
        ("year = and", 7, "Found 'and' in place of a value"),
        ("5", 0, "The text ends where a comparison is expected"),
        ("é = 1", 0, "There is no field 'é'"),
    ]) func errorsSayWhere(_ text: String, _ position: Int, _ message: String) throws {
        let error = try #require(throws: QuerySyntaxError.self) {
            try store.query(Piece.self).filter(text: QueryText(text)).count()
        }
        #expect(error.position == position)
        #expect(error.description.hasPrefix(message))
    }

    @Test func theMarkStandsBelowTheFault() throws {
        let error = try #require(throws: QuerySyntaxError.self) {
            try store.query(Piece.self).filter(text: "rating = 1 AND\nyeer = 5").count()
        }
        #expect(error.description.hasSuffix(", at 15:\nyeer = 5\n^"))
        #expect(throws: QuerySyntaxError.self) {
            try store.query(Piece.self).filter(text: "year = ?", 1, 2).count()
        }
        #expect(throws: QuerySyntaxError.self) {
            try store.query(Piece.self).filter(text: "title = '\("a")'").count()
        }
        let deep = String(repeating: "NOT ", count: 300) + "isLive"
        #expect(throws: QuerySyntaxError.self) {
            try store.query(Piece.self).filter(text: QueryText(deep)).count()
        }
    }

    @Test func anyTextIsAQueryOrAnError() throws {
        let words = [
            "year", "title", "tags", "`rating`", "maker", "=", "<>", "<", ">=", "(", ")", ",", "?",
            "'a'", "\"é\"", "'", "`", "12", "-3.5e2", "1x", "and", "OR", "not", "in", "is", "null",
            "between", "contains", "beginswith", "order", "by", "desc", "limit", "offset", "true",
            "é", "\n", "\r\n", "\u{0}", "#", "🎵",
        ]
        var random = SeededRandom(seed: 7)
        var answered = 0
        for _ in 0..<3000 {
            let text = (0..<random.below(9)).map { _ in words[random.below(words.count)] }
                .joined(separator: random.once(in: 4) ? "" : " ")
            do {
                _ = try store.query(Piece.self).filter(text: QueryText(text, parameters: [1]))
                    .count()
                answered += 1
            } catch let error as QuerySyntaxError {
                #expect(error.position <= text.utf8.count && !error.description.isEmpty)
            }
        }
        #expect(answered > 0)
    }

    /// Once, a part with U+0000 ended the program.
    @Test func textsOfAnyCharactersAreFoundAsInClosures() throws {
        let parts = ["a", "é", "e\u{301}", "e", "\0", "\u{301}", "ß", "🎵", "\r\n", "\n", "İ", "%"]
        var random = SeededRandom(seed: RunSetting.seed, part: 3)
        func text() -> String {
            (0..<random.below(5)).map { _ in parts[random.below(parts.count)] }.joined()
        }
        let pieces = try store.objects(of: Piece.self)
        for _ in 0..<RunSetting.repetitions(400) {
            let (whole, part) = (text(), text())
            pieces[random.below(pieces.count)].title = whole
            let contained = store.query(Piece.self).filter(
                #Predicate { $0.title.contains(part) })
            let begun = store.query(Piece.self).filter(
                #Predicate { $0.title.starts(with: part) })
            #expect(try count("title CONTAINS ?", part) == contained.count())
            #expect(try count("title BEGINSWITH ?", part) == begun.count())
            #expect(
                try contained.count()
                    == pieces.filter { Array($0.title).contains(Array(part)) }.count)
        }
    }
}
