import CabinetMemory
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Documents from anywhere: what is no document changes nothing, and the error says where it is.
struct BadImportTests {
    private func open() throws -> Store { try Store(inMemory: tunes + [Everything.self]) }

    private func document(_ objects: String) -> String {
        #"{"format":"cabinet-export","version":1,"objects":[\#(objects)]}"#
    }

    private func place(_ text: String, _ policy: ImportPolicy = .refuse) throws -> String? {
        let store = try open()
        store.insert(Tune("mine"))
        do {
            try store.json.import(Data(text.utf8), unknown: policy)
            return nil
        } catch StoreError.badImport(let line, let column, _) {
            #expect(try store.objects(of: Tune.self).map(\.title) == ["mine"])
            #expect(try store.count(of: Disc.self) == 0)
            try store.save()
            return "\(line):\(column)"
        }
    }

    @Test func theErrorSaysWhereTheTextIsWrong() throws {
        #expect(try place("") == "1:1")
        #expect(try place("[]") == "1:1")
        #expect(try place("{\n\n  x}") == "3:3")
        #expect(try place("{}") == "1:3")
        #expect(try place(document("")) == nil)
        #expect(try place(document("") + " \n ") == nil)
        #expect(try place(document("") + "\n 1") == "2:2")
        #expect(try place(document("\n{},")) == "2:1")
        #expect(try place(document("\n  {\"class\":tru}")) == "2:15")
        #expect(try place(#"{"objects":[],"format":"cabinet-export","version":1}"#) == "1:12")
        #expect(try place(#"{"format":"cabinet-export","version":2,"objects":[]}"#) != nil)
        #expect(try place(#"{"format":"other","version":1,"objects":[]}"#) != nil)
        #expect(
            try place(#"{"format":"cabinet-export","version":1,"more":[1],"objects":[]}"#) == nil)
    }

    @Test(arguments: [
        #"{"class":"Tune","row":1}"#,
        #"{"class":"Tune","fields":{}}"#,
        #"{"row":1,"fields":{}}"#,
        #"{"class":"Tune","row":0,"fields":{}}"#,
        #"{"class":"Tune","row":-1,"fields":{}}"#,
        #"{"class":"Tune","row":1.5,"fields":{}}"#,
        #"{"class":"Tune","row":4294967296,"fields":{}}"#,
        #"{"class":"Tune","row":1,"fields":[]}"#,
        #"{"class":"None","row":1,"fields":{}}"#,
        #"{"class":"Tune","row":1,"fields":{"none":1}}"#,
        #"{"class":"Tune","row":1,"fields":{"title":1}}"#,
        #"{"class":"Tune","row":1,"fields":{"title":null}}"#,
        #"{"class":"Tune","row":1,"fields":{"title":"a","title":"b"}}"#,
        #"{"class":"Tune","row":1,"fields":{}},{"class":"Tune","row":1,"fields":{}}"#,
        #"{"class":"Tune","row":1,"fields":{"album":1}}"#,
        #"{"class":"Tune","row":1,"fields":{"album":{"class":"Disc"}}}"#,
        #"{"class":"Tune","row":1,"fields":{"album":{"class":"Disc","row":2}}}"#,
        #"{"class":"Tune","row":1,"fields":{"album":{"class":"Tune","row":1}}}"#,
        #"{"class":"Tune","row":1,"fields":{"album":[]}}"#,
        #"{"class":"Disc","row":1,"fields":{"tracks":[1]}}"#,
        #"{"class":"Everything","row":1,"fields":{"int8":128}}"#,
        #"{"class":"Everything","row":1,"fields":{"int8":1e1}}"#,
        #"{"class":"Everything","row":1,"fields":{"uint64":-1}}"#,
        #"{"class":"Everything","row":1,"fields":{"double":1e999}}"#,
        #"{"class":"Everything","row":1,"fields":{"double":"nan"}}"#,
        #"{"class":"Everything","row":1,"fields":{"bool":1}}"#,
        #"{"class":"Everything","row":1,"fields":{"data":"abc"}}"#,
        #"{"class":"Everything","row":1,"fields":{"data":"zz"}}"#,
        #"{"class":"Everything","row":1,"fields":{"date":"yesterday"}}"#,
        #"{"class":"Everything","row":1,"fields":{"uuid":"1"}}"#,
        #"{"class":"Everything","row":1,"fields":{"genre":"polka"}}"#,
        #"{"class":"Everything","row":1,"fields":{"mood":3}}"#,
        #"{"class":"Everything","row":1,"fields":{"price":{"custom":"Money","hex":"00"}}}"#,
        #"{"class":"Everything","row":1,"fields":{"price":7}}"#,
        #"{"class":"Everything","row":1,"fields":{"place":{"code":1}}}"#,
        #"{"class":"Everything","row":1,"fields":{"place":null}}"#,
        #"{"class":"Everything","row":1,"fields":{"numbers":[1,"x"]}}"#,
        #"{"class":"Everything","row":1,"fields":{"counts":[{"key":"a"}]}}"#,
    ]) func whatDoesNotFitIsRefused(_ object: String) throws {
        let text = document("\n " + object)
        if !object.contains("1e999") {
            #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
        }
        let found = try #require(try place(text))
        // Where the object begins; of a second one, where that does.
        #expect(found.hasPrefix("2:"))
    }

    @Test func ofAnObjectAlreadyMadeNothingIsLeft() throws {
        let store = try open()
        let text = document(
            #"{"class":"Disc","row":1,"fields":{"tracks":[{"class":"Tune","row":1}]}},"#
                + #"{"class":"Tune","row":1,"fields":{"title":"a"}},{"class":"Tune","row":2,"fields":{"title":2}}"#
        )
        #expect(throws: StoreError.self) { try store.json.import(Data(text.utf8)) }
        #expect(!store.hasChanges)
        try store.save()
        #expect(try store.metadata(of: Tune.self).liveObjects == 0)
    }

    @Test func oneSideOfAnInverseIsEnough() throws {
        let store = try open()
        let text = document(
            #"{"class":"Tune","row":7,"fields":{"album":{"class":"Disc","row":1}}},"#
                + #"{"class":"Disc","row":1,"fields":{"title":"d","tracks":[]}},"#
                + #"{"class":"Disc","row":2,"fields":{"tracks":[{"class":"Tune","row":8}]}},"#
                + #"{"class":"Tune","row":8,"fields":{"title":"x"}}"#)
        #expect(try store.json.import(Data(text.utf8)).objects == 4)
        for disc in try store.objects(of: Disc.self) {
            #expect(disc.tracks.count == 1 && disc.tracks[0].album === disc)
        }
    }

    @Test func deepAndLargeTextsAreRefused() throws {
        for count in [255, 256, 100_000] {
            let deep =
                String(repeating: "[", count: count) + String(repeating: "]", count: count)
            let found = try place(#"{"more":\#(deep),"format":1}"#)
            #expect(found != nil)
        }
        let digits = String(repeating: "1", count: 5000)
        #expect(try place(document(#"{"class":"Tune","row":\#(digits),"fields":{}}"#)) != nil)
        let reader = JSONReader(DataSource(Array("[1,2,3,4]".utf8)))
        #expect(throws: StoreError.self) { try reader.readValue(limit: 4) }
        #expect(try JSONReader(DataSource(Array("[1,2,3,4]".utf8))).readValue(limit: 5) != .null)
    }

    @Test func nothingIsImportedByAStoreThatCannotTakeIt() throws {
        let backend = FaultyBackend()
        let store = try Store(backend: backend, classes: tunes)
        backend.order { $0.rowsLeft = 1 }
        let objects = (1...3).map { #"{"class":"Tune","row":\#($0),"fields":{"title":"a"}}"# }
        let text = Data(document(objects.joined(separator: ",")).utf8)
        #expect(throws: BackendError.self) { try store.json.import(text) }
        #expect(!store.hasChanges)
        try store.save()
        try store.close()
        #expect(throws: StoreError.closed) { try store.json.import(text) }
    }

    /// Whatever is changed in a document, the outcome is an import or a typed error.
    @Test func changedBytesAreImportedOrRefused() throws {
        let source = try Store(inMemory: exchangeClasses)
        try ExchangedGraph.fill(source, seed: 5, count: 6)
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try source.json.export(to: file)
        let bytes = Array(try Data(contentsOf: file))
        var random = SeededRandom(seed: RunSetting.seed)
        var outcomes = (imported: 0, refused: 0)
        for _ in 0..<RunSetting.repetitions(600) {
            var changed = bytes
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let index = Int.random(in: 0..<changed.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: changed[index] = UInt8.random(in: 0...255, using: &random)
                case 1: changed.remove(at: index)
                case 2: changed.insert(changed.randomElement(using: &random) ?? 0, at: index)
                default: changed.removeSubrange(index...)
                }
                if changed.isEmpty { changed = [0] }
            }
            let store = try Store(inMemory: exchangeClasses)
            do {
                try store.json.import(
                    Data(changed), unknown: Bool.random(using: &random) ? .skip : .refuse)
                outcomes.imported += 1
                try store.save()
            } catch StoreError.badImport {
                outcomes.refused += 1
                #expect(!store.hasChanges)
            }
        }
        let count = RunSetting.repetitions(600)
        #expect(
            outcomes.imported > count / 30 && outcomes.refused > count / 6, "\(outcomes)")
    }
}
