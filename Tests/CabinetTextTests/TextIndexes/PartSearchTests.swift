import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// A class with two texts that are found by their parts.
final class PartNote: StoredObject {
    @Field var title = ""
    @Field var body: String?

    convenience init(_ title: String, _ body: String? = nil) {
        self.init()
        (self.title, self.body) = (title, body)
    }

    override class var textIndexes: [TextIndex] {
        [
            .text(\PartNote.title, tokenizer: .substring),
            .text(\PartNote.body, tokenizer: .substring),
        ]
    }
}

/// A search for parts of texts finds what a look at the letters of each text finds.
@Suite("Text indexes: parts of texts")
struct PartSearchTests {
    private struct Hit: Equatable {
        let row: RowID
        let score: Double
    }

    /// The folded letters of texts that were asked for: these texts have no other folding than that of case.
    private final class Letters {
        private var known: [String: [UInt32]] = [:]

        func letters(of text: String) -> [UInt32] {
            if let letters = known[text] { return letters }
            let letters = text.lowercased().unicodeScalars.map(\.value)
            known[text] = letters
            return letters
        }
    }

    private let folded = Letters()

    /// How often `part` stands in `text`, overlaps counted, by their folded letters.
    private func count(_ part: String, in text: String) -> Int {
        let (part, text) = (folded.letters(of: part), folded.letters(of: text))
        guard !part.isEmpty, part.count <= text.count else { return 0 }
        // Plain loops: millions of letters are compared without optimisation.
        return text.withUnsafeBufferPointer { text in
            var (found, start) = (0, 0)
            while start + part.count <= text.count {
                var place = 0
                while place < part.count, text[start + place] == part[place] { place += 1 }
                if place == part.count { found += 1 }
                start += 1
            }
            return found
        }
    }

    /// The score of each note in which one of `parts` stands in each of these fields, by BM25.
    private func expected(
        _ parts: [String], _ notes: [PartNote], _ fields: [(PartNote) -> String?]
    ) -> [Hit] {
        var scores: [RowID: Double] = [:]
        var isMatch = Dictionary(uniqueKeysWithValues: notes.map { ($0.rowID, true) })
        for part in parts {
            var rows = Set<RowID>()
            for field in fields {
                let texts = notes.map { field($0) }
                let known = texts.compactMap { $0 }
                let counts = texts.map { $0.map { count(part, in: $0) } ?? 0 }
                let having = Double(counts.count { $0 > 0 })
                let lengths = known.reduce(0) { $0 + $1.unicodeScalars.count }
                let average = max(Double(lengths) / Double(max(known.count, 1)), 1)
                let weight = log(1 + (Double(known.count) - having + 0.5) / (having + 0.5))
                for (place, note) in notes.enumerated() where counts[place] > 0 {
                    rows.insert(note.rowID)
                    let length = Double(texts[place]?.unicodeScalars.count ?? 0) / average
                    let often = Double(counts[place])
                    scores[note.rowID, default: 0] +=
                        weight * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * length))
                }
            }
            for note in notes where !rows.contains(note.rowID) { isMatch[note.rowID] = false }
        }
        return notes.map(\.rowID).sorted().compactMap { row in
            isMatch[row] == true ? scores[row].map { Hit(row: row, score: $0) } : nil
        }
    }

    private func compare(_ store: Store, _ parts: [String], _ label: String) throws {
        let notes = try store.objects(of: PartNote.self)
        let query = parts.map { "[[*\($0)*]]" }.joined(separator: " ")
        func check(
            _ wanted: [Hit], _ field: String,
            _ search: (SearchOrder) throws -> SearchResults<PartNote>
        ) throws {
            let inOrder = try search(.row)
            #expect(
                inOrder.map(\.object.rowID) == wanted.map(\.row), "\(query) in \(field), \(label)")
            #expect(inOrder.allSatisfy { $0.score == 0 }, "\(query) in \(field), \(label)")
            let found = try search(.relevance).sorted { $0.object.rowID < $1.object.rowID }
            #expect(
                found.map(\.object.rowID) == wanted.map(\.row), "\(query) in \(field), \(label)")
            for (hit, other) in zip(found, wanted) {
                #expect(abs(hit.score - other.score) < 1e-9, "\(query) in \(field), \(label)")
            }
        }
        try check(expected(parts, notes) { $0.title }, "title") {
            try store.query(PartNote.self).search(query, in: \.title, orderedBy: $0)
        }
        try check(expected(parts, notes) { $0.body }, "body") {
            try store.query(PartNote.self).search(query, in: \.body, orderedBy: $0)
        }
        try check(expected(parts, notes, [{ $0.title }, { $0.body }]), "both") {
            try store.query(PartNote.self).search(query, orderedBy: $0)
        }
    }

    private func expected(
        _ parts: [String], _ notes: [PartNote], _ field: @escaping (PartNote) -> String?
    ) -> [Hit] { expected(parts, notes, [field]) }

    private static let alphabets = ["ab", "aAbB ", "abcdefgh ", "жукЖ и", "東京都a", "αβγ😀", "กรุง ab"]

    private func text(_ random: inout SeededRandom) -> String {
        let letters = Self.alphabets[random.below(Self.alphabets.count)]
        let count = random.once(in: 40) ? 3_000 + random.below(4_000) : random.below(30)
        return String((0..<count).compactMap { _ in letters.randomElement(using: &random) })
    }

    /// A part of a text, often from its end, or other letters; a query needs one that is no space.
    private func part(_ random: inout SeededRandom, _ notes: [PartNote]) -> String? {
        var part = text(&random).prefix(1 + random.below(9))
        if !random.once(in: 5), let note = notes.randomElement(using: &random) {
            let text = random.once(in: 2) ? note.title : note.body ?? ""
            part = random.once(in: 3) ? text.suffix(1 + random.below(12)) : text.prefix(80)
            part = part.dropFirst(random.below(max(part.count - 1, 1))).prefix(1 + random.below(12))
        }
        let trimmed = part.trimmingCharacters(in: .whitespaces)
        return trimmed.isEmpty ? nil : trimmed
    }

    @Test(
        "parts are found, with their scores, in many segments and while texts are changed",
        arguments: RunSetting.some(of: 1...6))
    func model(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let store = try Store(inMemory: [PartNote.self])
        var compared = 0
        for round in 0..<4 {
            for _ in 0..<(round == 0 ? 600 : 280) {
                store.insert(PartNote(text(&random), random.once(in: 2) ? text(&random) : nil))
            }
            try store.save()
            for phase in ["saved", "changed", "changed and saved", "in form"] {
                var notes = try store.objects(of: PartNote.self)
                if phase == "changed" {
                    for _ in 0..<25 { notes[random.below(notes.count)].title = text(&random) }
                    for _ in 0..<10 { notes[random.below(notes.count)].body = text(&random) }
                    for _ in 0..<5 { try store.delete(notes.remove(at: random.below(notes.count))) }
                }
                if phase == "changed and saved" { try store.save() }
                if phase == "in form" { try store.keepTexts(unmergedLimit: 20) }
                notes = try store.objects(of: PartNote.self)
                for _ in 0..<3 {
                    var parts: [String] = []
                    for _ in 0..<(random.once(in: 4) ? 2 : 1) {
                        if let part = part(&random, notes) { parts.append(part) }
                    }
                    guard !parts.isEmpty else { continue }
                    try compare(store, parts, "seed \(seed), round \(round), \(phase)")
                    compared += 1
                }
            }
            #expect(try store.indexFindings().isEmpty)
        }
        #expect(compared > 20)
    }

    @Test("parts that overlap themselves, at the ends, and shorter than a term are counted")
    func places() throws {
        let texts = [
            "aaaa", "aaaaa", "aaa", "aa", "a", "", "baaab", "abcabcabc", "xabc", "abcx", "ABC",
            "ab", "bc", "東京都東京都", "京都", "都", "жукжук", "ж", "a東b", "aaaaaaaaaaaaab",
        ]
        let parts = [
            "a", "aa", "aaa", "aaaa", "aaaaa", "aaaaaa", "ab", "abc", "abca", "bcabca", "cab",
            "x", "c", "bc", "京", "東京", "東京都", "京都東", "都", "жук", "укж", "к", "東b", "a東b", "aaab",
        ]
        let store = try Store(inMemory: [PartNote.self])
        for text in texts { store.insert(PartNote(text, text + "|" + text)) }
        for part in parts { try compare(store, [part], "pending") }
        try store.save()
        for part in parts { try compare(store, [part], "saved") }
        try store.keepTexts(unmergedLimit: 1)
        for part in parts { try compare(store, [part], "in a segment") }
    }

    @Test("near parts of texts are counted by their letters, and other words of queries hold")
    func queries() throws {
        let store = try Store(inMemory: [PartNote.self])
        store.insert(PartNote("blue train in spain", "rain rain"))
        store.insert(PartNote("trains", "the blue"))
        for number in 0..<TextKeeper.segmentFrom { store.insert(PartNote("\(number)")) }
        let found: [(String, [String])] = [
            ("NEAR([[*lue*]] [[*rain*]], 2)", ["blue train in spain"]),
            ("NEAR([[*lue*]] [[*rain*]], 1)", []), ("rai NOT blu", ["trains"]),
            ("rai OR 123", ["blue train in spain", "trains", "123"]),
            ("spa rai", ["blue train in spain"]), ("t*", ["blue train in spain", "trains"]),
        ]
        for phase in ["pending", "saved"] {
            for (query, titles) in found {
                let hits = try store.query(PartNote.self).search(
                    query, in: \.title, orderedBy: .row)
                #expect(hits.map(\.object.title) == titles, "\(query) \(phase)")
            }
            try store.save()
        }
    }

    /// More than a block has positions for, in one text, and in texts one after the other.
    @Test("a part that stands very often in a text is counted")
    func long() throws {
        let store = try Store(inMemory: [PartNote.self])
        let texts = [
            String(repeating: "ab", count: 40_000), String(repeating: "abc", count: 900),
            String(repeating: "a", count: 5_000) + "bab",
        ]
        for text in texts { store.insert(PartNote(text)) }
        for _ in 0..<TextKeeper.segmentFrom { store.insert(PartNote("ababab")) }
        try store.save()
        for part in ["aba", "abab", "bab", "cab", "aaab", "aaaaaaaaa", "ab", "b"] {
            try compare(store, [part], "long")
        }
    }

    @Test("no part counts more often in a text than a term may")
    func veryOften() throws {
        let store = try Store(inMemory: [PartNote.self])
        store.insert(PartNote(String(repeating: "a", count: Tokenizer.placeLimit + 9)))
        for _ in 0..<TextKeeper.segmentFrom { store.insert(PartNote("baab")) }
        func scores(_ part: String) throws -> [Double] {
            try store.search(PartNote.self, "[[*\(part)*]]", in: \.title)
                .sorted { $0.object.rowID < $1.object.rowID }.map(\.score)
        }
        let parts = ["aa", "aaa", "aaaa"]
        // Of objects that are not saved yet the texts are asked.
        let all = try parts.map(scores)
        try store.save()
        for (part, asked) in zip(parts, all) {
            let found = try scores(part)
            #expect(asked.count == found.count && found.count > 0)
            for (one, other) in zip(asked, found) { #expect(abs(one - other) < 1e-12) }
            if part == "aa" { #expect(found.count == TextKeeper.segmentFrom + 1) }
        }
    }
}
