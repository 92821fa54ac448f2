import Cabinet
import CabinetBackend
import CabinetTokyo
import Foundation
import Testing

@testable import cabinet_inspect

/// What a check says of indexes without their class, and how they are made anew.
struct IndexCheckTests {
    let store = InspectStore()

    /// Deletes the last key of an ordered table.
    private func cutOff(_ table: String) throws {
        let backend = try TokyoBackend(path: store.path)
        let number = try #require(try backend.tables().first { $0.name == table }).number
        let cursor = try backend.entries(in: number, range: .everything, descending: true)
        let run = EntryRun()
        #expect(try cursor.next(run, limit: 1))
        let (key, _) = try #require(run.next())
        let batch = backend.makeBatch()
        try batch.deleteKey(key, in: number)
        try backend.commit(batch)
        try backend.close()
    }

    @Test func wholeIndexesAreSound() async throws {
        try store.makeTunes()
        let report = await store.run("check", store.path)
        #expect(report.status == .sound, "\(report.output)")
        #expect(
            report.output.contains(
                "Index Tune.late was not checked: a closure says which objects are in it."))
        #expect(report.output.last?.hasPrefix("Sound: ") == true)
        let json = await store.run("check", store.path, "--json")
        let indexes = try InspectStore.objects(json.output).first?["indexes"] as? [String: Any]
        #expect(indexes?["checked"] as? Int == 6)
        #expect((indexes?["unchecked"] as? [Any])?.count == 5)
    }

    @Test(arguments: [
        ("Index.Tune.artist.year-1", "missing-index-entry"),
        ("Index.Tune.released-1", "missing-index-entry"),
        ("Index.Tune.title.caseInsensitive-1", "missing-index-entry"),
        ("Text.Tune.title-1", "wrong-text-count"), ("Text.Tune.artist-1", "wrong-text-count"),
    ])
    func whatIsMissingIsFoundAndMadeAnewByItsProgram(_ table: String, _ kind: String) async throws {
        try store.makeTunes()
        try cutOff(table)
        let report = await store.run("check", store.path)
        #expect(report.status == .findings)
        let name = table.split(separator: ".").dropFirst(2).joined(separator: ".").dropLast(2)
        #expect(
            report.output.contains { $0.hasPrefix("\(kind) Tune") && $0.contains(", \(name)") },
            "\(report.output)")
        let repair = await store.run("check", store.path, "--repair")
        #expect(
            repair.output.contains("1 index will be made anew when its program opens the store."))
        let again = await store.run("check", store.path)
        #expect(again.status == .sound, "\(again.output)")
        #expect(again.output.contains("Index Tune.\(name) was not checked: it is to be made anew."))
        try store.withTunes { try $0.indexes.build() }
        let last = await store.run("check", store.path)
        #expect(last.status == .sound)
        #expect(!last.output.contains { $0.contains("made anew") }, "\(last.output)")
    }
}
