import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// A class with several text indexes of one property, the one of words not first, and one of no property.
final class ManyTextsNote: StoredObject {
    @Field var title = ""
    @Field var body = ""

    convenience init(_ title: String, _ body: String) {
        self.init()
        (self.title, self.body) = (title, body)
    }

    override class var textIndexes: [TextIndex] {
        [
            .text(\ManyTextsNote.title, tokenizer: .substring, named: "part"),
            .text(\ManyTextsNote.title), .text(\ManyTextsNote.body),
            .text(\ManyTextsNote.body, tokenizer: .substring, named: "bodyPart"),
            .computed(named: "both") { (note: ManyTextsNote) in note.title + " " + note.body },
        ]
    }
}

/// Which text indexes a search looks into, and how much each counts.
@Suite("Text indexes: which are searched")
struct SearchedTextTests {
    private func store() throws -> Store {
        let store = try Store(inMemory: [ManyTextsNote.self])
        store.insert(ManyTextsNote("Blue Train", "trains in Spain"))
        store.insert(ManyTextsNote("Red", "blue"))
        return store
    }

    /// The first index of a property was asked where something was found, whichever had found it.
    @Test("what any of the searched indexes of a property has found is marked")
    func rangesOfAllIndexes() throws {
        let store = try store()
        let found: [(String, [String], [String])] = [
            ("part:lue", ["lue"], []), ("title:blue", ["Blue"], []), ("bodyPart:pai", [], ["pai"]),
            ("title:train part:\"e t\"", ["e Train"], []),
            ("body:trains bodyPart:ra", [], ["trains"]),
            ("train part:b", ["B", "Train"], ["train"]),
        ]
        for phase in ["pending", "saved"] {
            for (query, title, body) in found {
                let hit = try #require(
                    try store.search(ManyTextsNote.self, query).first, "\(query)")
                let note = hit.object
                #expect(hit.ranges(in: \.title).map { String(note.title[$0]) } == title, "\(query)")
                #expect(hit.ranges(in: \.body).map { String(note.body[$0]) } == body, "\(query)")
                let snippet = hit.snippet(in: \.title)
                #expect(
                    snippet.ranges.map { String(snippet.text[$0]) } == title, "\(query) \(phase)")
            }
            try store.save()
        }
    }

    @Test("words are suggested from an index of words, whichever is declared first")
    func suggestions() throws {
        let store = try store()
        for _ in 0..<2 {
            let words = try store.suggestions(for: "tr", in: \ManyTextsNote.title).map(\.word)
            #expect(words == ["train"])
            #expect(
                try store.suggestions(for: "tr", in: \ManyTextsNote.body).map(\.word) == ["trains"])
            try store.save()
        }
    }

    @Test("an index is searched alone by its name, also one of no property")
    func byName() throws {
        let store = try store()
        func rows(_ query: SearchQuery, _ name: String) throws -> [String] {
            try store.query(ManyTextsNote.self).search(query, inIndex: name, orderedBy: .row)
                .map(\.object.title)
        }
        for _ in 0..<2 {
            #expect(try rows(SearchQuery("red blue"), "both") == ["Red"])
            #expect(try rows(SearchQuery(typed: "blue tra"), "both") == ["Blue Train"])
            #expect(try rows(SearchQuery("blue"), "title") == ["Blue Train"])
            #expect(try rows(SearchQuery("rai"), "part") == ["Blue Train"])
            #expect(try rows(SearchQuery("rai"), "title") == [])
            #expect(
                try store.query(ManyTextsNote.self).search("spain blue", inIndex: "both").count == 1
            )
            try store.save()
        }
        #expect(throws: StoreError.notSearchable(class: "ManyTextsNote", text: "all")) {
            try store.query(ManyTextsNote.self).search("blue", inIndex: "all")
        }
        #expect {
            try store.query(ManyTextsNote.self).search("title:blue", inIndex: "both")
        } throws: {
            ($0 as? QuerySyntaxError)?.reason == .unknownField("title", known: ["both"])
        }
    }

    @Test("weights are numbers from 0 on, of indexes that there are")
    func weights() throws {
        let store = try store()
        func scores(_ weights: [String: Double]) throws -> [Double] {
            try store.query(ManyTextsNote.self).search("title:blue", weights: weights).map(\.score)
        }
        let plain = try scores([:])
        #expect(try scores(["title": 3]).map { $0 / 3 } == plain)
        #expect(try scores(["title": 0]) == [0])
        let most = try scores(["title": .greatestFiniteMagnitude])
        #expect(most.allSatisfy { $0.isFinite && $0 > 1e90 })
        #expect(try scores(["part": 0]) == plain)
        for weight in [-1, -Double.leastNonzeroMagnitude, .infinity, -.infinity, .nan] {
            #expect {
                try scores(["title": weight, "body": 1])
            } throws: {
                guard case .badWeight("ManyTextsNote", "title", let found)? = $0 as? StoreError
                else { return false }
                return found.bitPattern == weight.bitPattern
            }
        }
        #expect(throws: StoreError.notSearchable(class: "ManyTextsNote", text: "nowhere")) {
            try scores(["title": 1, "nowhere": 1])
        }
    }
}
