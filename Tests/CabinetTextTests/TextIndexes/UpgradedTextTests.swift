import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing

@testable import Cabinet

private final class FirstEpisode: StoredObject {
    @Field var title = ""
    @Field var seconds = 0

    override class var storageName: String { "UpgradedEpisode" }
    override class var textIndexes: [TextIndex] { [.text(\FirstEpisode.title)] }
    override class var indexes: [Index] { [.ordered(\FirstEpisode.seconds)] }
}

/// A version later: another layout, of which old records are read otherwise.
private final class SecondEpisode: StoredObject {
    @Field var title = ""
    @Field var seconds = 0
    @Field var isNew = false

    override class var storageName: String { "UpgradedEpisode" }
    override class var textIndexes: [TextIndex] { [.text(\SecondEpisode.title)] }
    override class var indexes: [Index] { [.ordered(\SecondEpisode.seconds)] }
    override func upgrade(from record: RawRecord) throws {
        title = title.replacingOccurrences(of: "blue", with: "red")
        seconds *= 60
    }
}

private final class FirstLine: StoredObject {
    var text = ""

    override class var storageName: String { "UpgradedLine" }
    override class var textIndexes: [TextIndex] { [.text(\FirstLine.text, named: "text")] }
    override func writeContent(to buffer: DataBuffer) { buffer.writeString(text) }
    override func readContent(from buffer: DataBuffer) throws { text = try buffer.readString() }
}

/// Reads old records otherwise.
private final class SecondLine: StoredObject {
    var text = ""

    override class var storageName: String { "UpgradedLine" }
    override class var version: UInt8 { 2 }
    override class var textIndexes: [TextIndex] { [.text(\SecondLine.text, named: "text")] }
    override func writeContent(to buffer: DataBuffer) { buffer.writeString(text) }
    override func readContent(from buffer: DataBuffer) throws {
        text = try buffer.readString()
        if buffer.versionOfData == 1 { text = text.replacingOccurrences(of: "blue", with: "red") }
    }
}

/// Indexes of values that a class makes otherwise of earlier records are made anew.
@Suite("Text indexes: upgraded records")
struct UpgradedTextTests {
    @Test("what upgrade(from:) makes of a text is found", arguments: [1, 40, 900])
    func upgraded(count: Int) throws {
        let temporary = try TemporaryStore([FirstEpisode.self])
        for number in 0..<count {
            let episode = FirstEpisode()
            episode.title = "blue train \(number)"
            episode.seconds = number
            temporary.store.insert(episode)
        }
        try temporary.store.save()
        let store = try temporary.reopen([SecondEpisode.self])
        func check() throws {
            func search(_ query: String) throws -> Int {
                try store.search(SecondEpisode.self, query, in: \.title).totalCount
            }
            #expect(try search("red") == count)
            #expect(try search("blue") == 0)
            let last = (count - 1) * 60
            #expect(
                try store.count(of: SecondEpisode.self, where: #Predicate { $0.seconds == last })
                    == 1)
        }
        try check()
        try store.indexes.build()
        try check()
        #expect(try store.upgradeAll(of: SecondEpisode.self) == count)
        try check()
        #expect(try store.indexFindings().isEmpty)
    }

    @Test("what another version of a class written by hand reads is found")
    func writtenByHand() throws {
        let temporary = try TemporaryStore([FirstLine.self])
        for number in 0..<300 {
            let line = FirstLine()
            line.text = "blue \(number)"
            temporary.store.insert(line)
        }
        try temporary.store.save()
        let store = try temporary.reopen([SecondLine.self])
        func count(_ query: String) throws -> Int {
            try store.query(SecondLine.self).search(query, inIndex: "text").totalCount
        }
        #expect(try count("red") == 300 && count("blue") == 0)
        try store.indexes.build()
        #expect(try count("red") == 300 && count("blue") == 0)
        #expect(try store.indexFindings().isEmpty)
    }

    @Test func theOriginOfATextIsInItsDefinition() {
        let plain = TextDefinition(version: 3, .field("title", upgradedTo: nil), .words)
        let upgraded = TextDefinition(version: 3, .field("title", upgradedTo: "ab1"), .words)
        let property = TextDefinition(version: 3, .property(version: 2), .words)
        let computed = TextDefinition(version: 3, .computed, .words)
        let all = [plain, upgraded, property, computed]
        #expect(Set(all.map(\.text)).count == 4)
        #expect(
            all.map { TextDefinition($0.text)?.field } == ["title", "title", nil, nil] as [String?])
    }
}
