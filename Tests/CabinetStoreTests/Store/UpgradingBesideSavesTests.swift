import CabinetMemory
import Testing

@testable import Cabinet

/// Records that are upgraded while others save.
struct UpgradingBesideSavesTests {
    private enum Old {
        final class Page: StoredObject {
            @Field var number = 0
            @Field var text = ""
        }
    }

    private final class Note: StoredObject {
        @Field var text = ""
    }

    private enum New {
        final class Page: StoredObject {
            nonisolated(unsafe) static var whileFirst: () throws -> Void = {}

            @Field var number = 0
            @Field var words = ""
            @One var note: Note?

            override func upgrade(from record: RawRecord) throws {
                if number == 0 { try Self.whileFirst() }
                words = try record.value("text") ?? ""
                // Pending, as others are changed, too.
                let note = Note()
                note.text = words
                self.note = note
            }
        }
    }

    /// Once, what another store had saved since the walk began was lost.
    @Test func whatOthersSaveMeanwhileStays() throws {
        let backend = MemoryBackend()
        let old = try Store(backend: backend, classes: [Old.Page.self])
        let count = 10_001
        for number in 0..<count {
            let page = Old.Page()
            (page.number, page.text) = (number, "old")
            old.insert(page)
        }
        try old.save()
        let row = try #require(try old.objects(of: Old.Page.self).last).rowID
        let classes: [StoredObject.Type] = [New.Page.self, Note.self]
        let store = try Store(backend: backend, classes: classes)
        let other = try Store(backend: backend, classes: classes)
        New.Page.whileFirst = {
            New.Page.whileFirst = {}
            let last = try #require(try other.object(New.Page.self, rowID: row))
            last.words = "edited"
            try other.save()
        }
        defer { New.Page.whileFirst = {} }
        try store.upgradeAll()
        try store.save()
        for reader in [store, other] {
            try reader.refresh()
            let pages = try reader.objects(of: New.Page.self)
            #expect(pages.count == count && pages.last?.words == "edited")
        }
        #expect(try store.count(of: Note.self) == count)
    }
}
