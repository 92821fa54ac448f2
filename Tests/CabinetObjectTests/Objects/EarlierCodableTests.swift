import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Records of programs that wrote `Codable` values as property lists.
struct EarlierCodableTests {
    typealias Counted = CountedPages.Counted
    typealias Page = CountedPages.Page

    let bench = SchemaBench()
    /// The first word, which no other test has.
    let word = UUID().uuidString

    var decodings: Int { Counted.decoded.withLock { $0[word] ?? 0 } }

    func open() throws -> Store { try bench.open([Page.self]) }

    /// Turns the store into one of a program that wrote property lists.
    func makeEarlier(_ value: [String]) throws -> RowID {
        let first = try open()
        let page = Page()
        first.insert(page)
        try first.save()
        let catalog = try bench.layouts(0)
        #expect(catalog.contains("Compact<Counted>"))
        try bench.setLayouts(
            0, catalog.replacingOccurrences(of: "Compact<", with: "Codable<"))
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let list = try encoder.encode([value])
        let buffer = DataBuffer()
        buffer.writeUInt8(1)
        buffer.writeString("old")
        buffer.writeData(list)
        buffer.writeBool(true)
        buffer.writeData(list)
        buffer.writeInt(5)
        try bench.setRecord("Page", page.rowID, buffer.withUnsafeBytes { Array($0) })
        return page.rowID
    }

    @Test func propertyListsOfEarlierProgramsAreReadAndWrittenAnew() throws {
        let row = try makeEarlier([word])
        #expect(
            try bench.decode("Page", row)["maybe"]
                == .codable(type: "Counted", .list([.text(word)])))
        let store = try open()
        let page = try #require(try store.object(Page.self, rowID: row))
        #expect(page.title == "old" && page.number == 5 && decodings == 0)
        page.number = 6
        try store.save()
        // Untouched as they were, they have the form of today.
        #expect(decodings == 2)
        let record = try bench.record("Page", row)
        #expect(record.first == 2 && !String(decoding: record, as: UTF8.self).contains("bplist"))
        #expect(
            try bench.decode("Page", row)["counted"]
                == .codable(type: "Counted", .list([.text(word)])))
        let again = try #require(try open().object(Page.self, rowID: row))
        #expect(again.counted.words == [word] && again.maybe?.words == [word])
    }

    @Test func aPropertyListThatCannotBeDecodedStaysOne() throws {
        let row = try makeEarlier([word, "refuse"])
        let store = try open()
        let page = try #require(try store.object(Page.self, rowID: row))
        page.number = 6
        try store.save()
        #expect(page.fetchError != nil && page.counted.words == ["new"])
        #expect(
            try bench.decode("Page", row)["counted"]
                == .codable(type: "Counted", .list([.text(word), .text("refuse")])))
        let later = try open()
        let again = try #require(try later.object(Page.self, rowID: row))
        #expect(again.counted.words == ["new"] && again.fetchError != nil)
    }

    @Test func allOldRecordsAreRewrittenByAnUpgrade() throws {
        let row = try makeEarlier([word])
        let store = try open()
        #expect(try store.upgradeAll() == 1)
        let record = try bench.record("Page", row)
        #expect(!String(decoding: record, as: UTF8.self).contains("bplist"))
        #expect(try open().object(Page.self, rowID: row)?.counted.words == [word])
    }
}
