import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// A class with a text index and an ordered one.
final class FiledNote: StoredObject {
    @Field var title = ""
    @Field var year = 0
    @Field var rating = 0

    convenience init(_ title: String, _ year: Int, _ rating: Int) {
        self.init()
        (self.title, self.year, self.rating) = (title, year, rating)
    }

    override class var textIndexes: [TextIndex] { [.text(\FiledNote.title)] }
    override class var indexes: [Index] { [.ordered(\FiledNote.year)] }
}

/// An index of a predicate's field spares reading the records that a search has found, where it names
/// fewer rows than there are such records, and changes nothing of what is found.
@Suite("Text indexes: searches with a predicate")
struct SearchNarrowingTests {
    private func fill(_ store: Store, _ random: inout SeededRandom, _ count: Int) {
        for _ in 0..<count {
            store.insert(
                FiledNote(
                    SearchWords.text(&random, upTo: 5) + " common", random.below(200),
                    random.below(5)))
        }
    }

    @Test(
        "with and without pending changes the same is found as by a look at each hit",
        arguments: RunSetting.some(of: 1...3))
    func agreement(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let store = try Store(inMemory: [FiledNote.self])
        fill(store, &random, 1000)
        try store.save()
        if seed == 3 { store.reckonWithDearScans() }
        var narrowed = 0
        for round in 0..<12 {
            let notes = try store.objects(of: FiledNote.self)
            switch random.below(5) {
            case 0: notes[random.below(notes.count)].year = random.below(200)
            case 1: notes[random.below(notes.count)].title = "common blue"
            case 2: try store.delete(notes[random.below(notes.count)])
            case 3: fill(store, &random, 3)
            default: try store.save()
            }
            let (low, high) = (random.below(200), random.below(200))
            let predicates = [
                #Predicate<FiledNote> { $0.year == low },
                #Predicate<FiledNote> { $0.year >= low && $0.year < high },
                #Predicate<FiledNote> { $0.year == low && $0.rating > 2 },
                #Predicate<FiledNote> { $0.year == low || $0.year == high },
                #Predicate<FiledNote> { $0.rating == 3 },
            ]
            for predicate in predicates {
                for text in ["common", "blue OR common", "trains common", "common NOT blue"] {
                    let all = try store.search(FiledNote.self, text)
                    let wanted = try all.filter { try predicate.evaluate($0.object) }
                    let found = try store.search(FiledNote.self, text, where: predicate)
                    let label = "\(text), round \(round), \(found.plan)"
                    #expect(found.totalCount == wanted.count, "\(label)")
                    #expect(
                        found.map(\.object.rowID) == wanted.map(\.object.rowID), "\(label)")
                    #expect(found.map(\.score) == wanted.map(\.score), "\(label)")
                    if "\(found.plan)".contains("index year") { narrowed += 1 }
                }
            }
        }
        #expect(narrowed > 20)
    }

    @Test("the index is used if it names fewer rows than the words leave, and the plan says so")
    func choice() throws {
        let store = try Store(inMemory: [FiledNote.self])
        for number in 0..<3000 {
            let title = number % 1000 == 0 ? "rare common" : "common"
            store.insert(FiledNote(title, number % 100 == 0 ? 1960 : 2000, number % 5))
        }
        try store.save()
        func plan(_ text: String, _ predicate: Predicate<FiledNote>) throws -> String {
            "\(try store.search(FiledNote.self, text, where: predicate).plan)"
        }
        let few = try plan("common", #Predicate { $0.year == 1960 })
        #expect(few.contains("search title for common: 3000 rows"))
        #expect(few.contains("index year of FiledNote"))
        #expect(few.contains("rows of all 2: 30 rows"))
        let most = try plan("common", #Predicate { $0.year == 2000 && $0.rating == 1 })
        #expect(!most.contains("index year"))
        let rare = try plan("rare", #Predicate { $0.year == 1960 })
        #expect(!rare.contains("index year"))
        #expect(rare.contains("keep year = 1960"))
    }
}
