import Testing

@testable import Cabinet

final class JoinedNote: StoredObject {
    @Field var plain = ""
    @Field var english = ""
    @Field var french = ""

    convenience init(_ text: String) {
        self.init()
        (plain, english, french) = (text, text, text)
    }

    override class var textIndexes: [TextIndex] {
        [
            .text(\JoinedNote.plain), .text(\JoinedNote.english, tokenizer: .words(language: "en")),
            .text(\JoinedNote.french, tokenizer: .words(language: "fr")),
        ]
    }
}

/// Words that apostrophes join, in stores: found as wholes and by their parts.
@Suite("Searches for words joined by apostrophes")
struct JoinedWordSearchTests {
    private static let apostrophes = ["'", "\u{2019}", "\u{2BC}", "\u{FF07}", "\u{2018}"]

    /// What a query for a text finds, by its text, in a note of each joined word.
    private func found(
        _ store: Store, _ query: SearchQuery, _ path: PartialKeyPath<JoinedNote>
    ) throws -> Set<String> {
        Set(try store.search(JoinedNote.self, query, in: path).map(\.object.plain))
    }

    @Test(arguments: [true, false]) func searchesFindThem(byIndex: Bool) throws {
        let texts = [
            "France's cup", "France cup", "l’avion rouge", "un avion rouge", "rock'n'roll star",
            "Rock n Roll star", "five o’clock", "dell'arte", "п’ять пісень", "пʼять хлопців",
            "l'Hospitalet de l'Infant", "don't stop",
        ]
        let store = try Store(inMemory: [JoinedNote.self])
        for text in texts { store.insert(JoinedNote(text)) }
        try store.save()
        if byIndex { try store.indexes.build() }
        func plain(_ query: String) throws -> Set<String> {
            try found(store, SearchQuery(query), \JoinedNote.plain)
        }
        #expect(try plain("france") == ["France's cup", "France cup"])
        #expect(try plain("france's") == ["France's cup"])
        #expect(try plain("\"france cup\"") == ["France's cup", "France cup"])
        #expect(try plain("avion") == ["l’avion rouge", "un avion rouge"])
        #expect(try plain("\"avion rouge\"") == ["l’avion rouge", "un avion rouge"])
        #expect(try plain("l'avion") == ["l’avion rouge"])
        #expect(try plain("rock roll") == ["rock'n'roll star", "Rock n Roll star"])
        #expect(try plain("rock'n'roll") == ["rock'n'roll star"])
        #expect(try plain("clock") == ["five o’clock"])
        #expect(try plain("arte") == ["dell'arte"])
        #expect(try plain("hospitalet infant") == ["l'Hospitalet de l'Infant"])
        for mark in Self.apostrophes {
            #expect(try plain("п\(mark)ять") == ["п’ять пісень", "пʼять хлопців"])
            #expect(try plain("don\(mark)t") == ["don't stop"])
        }
        #expect(try plain("ять") == ["п’ять пісень", "пʼять хлопців"])
        #expect(try plain("NEAR(five clock, 0)") == ["five o’clock"])
        #expect(try plain("[[*vion]]") == ["l’avion rouge", "un avion rouge"])
        #expect(try plain("fran*") == ["France's cup", "France cup"])
        for (path, query, wanted) in [
            (\JoinedNote.english, "france's", ["France's cup", "France cup"]),
            (\JoinedNote.french, "l'avion", ["l’avion rouge", "un avion rouge"]),
            (\JoinedNote.french, "\"d'avion rouge\"", ["l’avion rouge", "un avion rouge"]),
            (\JoinedNote.english, "rolls", ["rock'n'roll star", "Rock n Roll star"]),
        ] as [(PartialKeyPath<JoinedNote>, String, [String])] {
            #expect(try found(store, SearchQuery(query), path) == Set(wanted), "\(query)")
        }
        for (path, typed, wanted) in [
            (\JoinedNote.plain, "frnace cup", ["France's cup", "France cup"]),
            (\JoinedNote.plain, "l'avoi", ["l’avion rouge"]),
            (\JoinedNote.plain, "avi", ["l’avion rouge", "un avion rouge"]),
            (\JoinedNote.french, "l'avino rouge", ["l’avion rouge", "un avion rouge"]),
            (\JoinedNote.english, "france's cu", ["France's cup", "France cup"]),
        ] as [(PartialKeyPath<JoinedNote>, String, [String])] {
            #expect(try found(store, SearchQuery(typed: typed), path) == Set(wanted), "\(typed)")
        }
        let hits = try store.search(JoinedNote.self, "avion", in: \.plain)
        let hit = try #require(hits.first { $0.object.plain.hasPrefix("l") })
        let snippet = hit.snippet(in: \.plain)
        #expect(snippet.ranges.map { String(snippet.text[$0]) } == ["l’avion"])
        let words = try store.suggestions(for: "avi", in: \JoinedNote.plain)
        #expect(words.map(\.word) == ["avion"] && words[0].count == 2)
    }
}
