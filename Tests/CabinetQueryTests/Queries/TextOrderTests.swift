import CabinetBackend
import CabinetTextSearch
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// Texts that are equal or in order by their form C, however they are written.
struct TextOrderTests {
    private func scalars(_ text: String) -> [UInt32] {
        var normalizer = TextNormalizer()
        normalizer.normalize(text)
        return normalizer.output
    }

    @Test(arguments: RunSetting.seeds(8))
    func textsAreInTheOrderOfTheirFormC(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let letters = ["e", "\u{E9}", "e\u{301}", "s", "'", " ", "\u{212A}", "\u{1F600}"]
        let texts = (0..<60).map { _ in
            (0..<random.below(5)).map { _ in letters[random.below(letters.count)] }.joined()
        }
        for one in texts {
            for other in texts {
                let (first, second) = (scalars(one), scalars(other))
                let wanted =
                    first == second ? 0 : first.lexicographicallyPrecedes(second) ? -1 : 1
                #expect(textOrder(one, other).signum() == wanted, "\(one), \(other)")
                #expect(totalOrder(one, other).signum() == wanted)
                #expect(FieldRelation.less.holds(inOrder: one, other) == (wanted < 0))
                let compared = ComparedText(other)
                let bytes = Array(one.utf8)
                #expect(bytes.withUnsafeBytes(compared.order).signum() == wanted)
            }
        }
    }

    /// Once, "cafe\u{301}" and "caf\u{E9}s" were neither less nor equal, and pages left objects out.
    @Test func pagesAndSectionsKnowTextsOfTwoFormsApart() throws {
        let store = try Store(inMemory: [Track.self, Record.self, Cover.self])
        for title in ["cafe\u{301}", "caf\u{E9}s", "cafe\u{301}", "caf\u{E9}s"] {
            let track = Track()
            track.title = title
            store.insert(track)
        }
        try store.save()
        let query = store.query(Track.self).sorted(by: \.title)
        #expect(try query.sections(by: \.title).map(\.objects.count) == [2, 2])
        #expect(try query.filter(#Predicate { $0.title <= "caf\u{E9}s" }).count() == 4)
    }

    /// Once, Swift's own `<` compared them there.
    @Test func soDoClosuresOfConditions() throws {
        let store = try Store(inMemory: [Track.self, Record.self, Cover.self, Note.self])
        let (record, track, note) = (Record(), Track(), Note())
        track.title = "cafe\u{301}"
        record.tracks = [track]
        note.tags = [track.title]
        for object in [record, note] { store.insert(object) }
        try store.save()
        let end = "caf\u{E9}s"
        let records = store.query(Record.self)
        #expect(
            try records.filter(#Predicate { $0.tracks.contains { $0.title < end } }).count() == 1)
        #expect(
            try records.filter(#Predicate { $0.tracks.allSatisfy { $0.title >= end } }).count() == 0
        )
        #expect(
            try records.filter(#Predicate { $0.tracks.filter { end > $0.title }.count == 1 })
                .count()
                == 1)
        let notes = store.query(Note.self)
        #expect(try notes.filter(#Predicate { $0.tags.contains { $0 <= end } }).count() == 1)
    }
}
