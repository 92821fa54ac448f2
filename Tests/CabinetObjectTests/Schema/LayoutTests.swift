import CabinetBackend
import CabinetMemory
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

struct LayoutTests {
    let bench = SchemaBench()
    var backend: MemoryBackend { bench.backend }

    func open(_ classes: StoredObject.Type...) throws -> Store { try bench.open(classes) }

    func record(_ row: RowID) throws -> [UInt8] { try bench.record(row) }

    /// A parent in row 2 and a child in row 3, by the first program.
    func writeFirst() throws {
        let store = try open(First.Item.self)
        let parent = First.Item()
        parent.name = "parent"
        let child = First.Item()
        child.name = "child"
        child.size = -7
        child.rating = 200
        child.tags = [1, -2]
        child.price = 1999
        child.parent = parent
        child.friend = child
        parent.children = [child, child]
        store.insert(parent)
        store.insert(child)
        try store.save()
    }

    @Test func recordsAreReadByNameInEitherDirection() throws {
        try writeFirst()
        let store = try open(Second.Item.self)
        let items = try store.objects(of: Second.Item.self)
        #expect(items.map(\.title) == ["parent", "child"])
        #expect(items[1].size == -7 && items[1].rating == 200 && items[1].tags == [1, -2])
        #expect(items[1].parent === items[0] && items[0].children.count == 2)
        #expect(items[0].children[1] === items[1] && items[1].friends.first === items[1])
        #expect(items[1].added == "default" && !store.hasChanges)
        #expect(try record(3)[0] == 1)
        items[1].added = "new"
        items[1].tags.append(nil)
        try store.save()
        #expect(try record(3)[0] == 2 && record(2)[0] == 1)

        // Back with the program of old: it misses what it does not know, and loses nothing that
        // widened unless it would have to narrow it.
        let old = try open(First.Item.self)
        let parent = try #require(try old.object(First.Item.self, rowID: 2))
        #expect(parent.name == "parent")
        #expect(throws: StoreError.self) { try old.object(First.Item.self, rowID: 3) }
        let child = parent.children[0]
        #expect(child.fetchError is StoreError && child.secret == "gone")
        child.price = 1
        #expect(throws: StoreError.self) { try old.save() }
        #expect(try record(3)[0] == 2)
    }

    @Test func theCatalogSaysWhatTheFieldsAre() throws {
        try writeFirst()
        let list = try bench.layouts(0)
        let layout = try #require(list.layouts.first)
        let fields = try #require(layout.fields)
        #expect(list.layouts.count == 1 && layout.number == 1 && layout.version == 1)
        #expect(
            fields.prefix(2).map { "\($0.name): \($0.type)" } == ["name: String", "size: Int16"])
        let children = try #require(fields.first { $0.name == "children" })
        #expect("\(children.type)" == "Many<Item>" && children.class == 0)
        #expect(children.inverses == nil)
        // A second saving adds nothing, and a second opening finds the same number.
        let store = try open(First.Item.self)
        store.insert(First.Item())
        try store.save()
        #expect(try bench.layouts(0) == list && record(258)[0] == 1)
    }

    @Test func aChangeThatIsNoWideningAsksForAnUpgrade() throws {
        try writeFirst()
        let store = try open(Third.Item.self)
        #expect(
            throws: StoreError.fieldChanged(
                class: "Item", row: 2, field: "price", from: "Int32", to: "String")
        ) { try store.objects(of: Third.Item.self) }

        let newer = try open(Fourth.Item.self)
        let items = try newer.objects(of: Fourth.Item.self)
        #expect(items.map(\.price) == ["0.0", "19.99"])
        #expect(items.map(\.label) == ["parent", "child, child"])
        #expect(!newer.hasChanges)
        #expect(try newer.upgradeAll(of: Fourth.Item.self) == 2)
        #expect(try record(3)[0] == 2)
        #expect(try newer.upgradeAll(of: Fourth.Item.self) == 0)
        #expect(try open(Fourth.Item.self).objects(of: Fourth.Item.self)[1].price == "19.99")
    }

    @Test func aRefreshedObjectKeepsNothingThatItsRecordLacks() throws {
        try writeFirst()
        let store = try open(Second.Item.self)
        let item = try #require(try store.object(Second.Item.self, rowID: 3))
        item.added = "never saved"
        store.rollback()
        #expect(item.added == "default" && item.title == "child")
    }

    @Test func onlyAHigherClassVersionIsNewer() throws {
        try writeFirst()
        let newer = try open(Fifth.Item.self)
        let item = try #require(try newer.object(Fifth.Item.self, rowID: 3))
        item.price = 5
        try newer.save()
        let old = try open(First.Item.self)
        #expect(throws: StoreError.newerVersion(class: "Item", row: 3, found: 2, known: 1)) {
            try old.object(First.Item.self, rowID: 3)
        }
        #expect(try old.object(First.Item.self, rowID: 2)?.name == "parent")
    }

    @Test func handWrittenRecordsAreReadByHandAndRewrittenAsFields() throws {
        let before = try open(Before.Song.self)
        for (title, seconds) in [("One", 100), ("Two", 200)] as [(String, UInt32)] {
            let song = Before.Song()
            song.title = title
            song.seconds = seconds
            before.insert(song)
        }
        try before.save()

        let unread = try open(Unread.Song.self)
        #expect(throws: StoreError.handWrittenRecord(class: "Song", row: 2, version: 3)) {
            try unread.objects(of: Unread.Song.self)
        }

        let after = try open(After.Song.self)
        let songs = try after.objects(of: After.Song.self)
        #expect(songs.map(\.title) == ["One", "Two"] && songs.map(\.seconds) == [100, 200])
        songs[0].rating = 5
        try after.save()
        // Numbers 0 to 3 were versions of the hand-written past.
        #expect(try record(2)[0] == 4 && record(3)[0] == 3)
        let again = try open(After.Song.self).objects(of: After.Song.self)
        #expect(again[0].rating == 5 && again[0].title == "One" && again[1].seconds == 200)

        // And back by hand: that class cannot take the layout's fields.
        let back = try open(Before.Song.self)
        #expect(try back.object(Before.Song.self, rowID: 3)?.title == "Two")
        #expect(throws: StoreError.self) { try back.object(Before.Song.self, rowID: 2) }
    }

    /// The tables of 2010 do not say which versions their records are of.
    @Test func numbersOfLayoutsAreBehindAllVersionsThatRecordsBear() throws {
        let table = TableDefinition(
            number: try backend.reserveTable(), kind: .record, name: "Song", classNumber: 0,
            classVersion: 0)
        let batch = backend.makeBatch()
        try batch.define(table)
        for (row, version) in [(2, 3), (3, 4), (4, 9)] as [(RowID, UInt8)] {
            let record = batch.beginRecord(row, in: table.number)
            record.writeUInt8(version)
            record.writeString("by hand")
            record.writeUInt32(7)
            try batch.endRecord()
        }
        _ = try backend.reserveRows(3, in: table.number)
        try backend.commit(batch)

        let store = try open(After.Song.self)
        let song = try #require(try store.object(After.Song.self, rowID: 2))
        #expect(song.title == "by hand" && song.seconds == 7)
        for (row, version) in [(3, 4), (4, 9)] as [(RowID, UInt8)] {
            #expect(
                throws: StoreError.newerVersion(class: "Song", row: row, found: version, known: 3)
            ) { try store.object(After.Song.self, rowID: row) }
        }
        song.rating = 1
        try store.save()
        #expect(try record(2)[0] == 10)
        let again = try open(After.Song.self)
        #expect(try again.object(After.Song.self, rowID: 2)?.rating == 1)
        #expect(throws: StoreError.newerVersion(class: "Song", row: 4, found: 9, known: 3)) {
            try again.object(After.Song.self, rowID: 4)
        }
    }

    @Test func layoutsDoNotRunOutAt255() throws {
        try writeFirst()
        var list = try bench.layouts(0)
        list.layouts.append(Layout(number: 299, version: 1, fields: []))
        try bench.setLayouts(0, list)
        let store = try open(Second.Item.self)
        let item = try #require(try store.object(Second.Item.self, rowID: 3))
        item.added = "far"
        try store.save()
        #expect(try record(3)[..<3] == [255, 44, 1])
        let again = try open(Second.Item.self)
        #expect(try again.object(Second.Item.self, rowID: 3)?.added == "far")
        #expect(try again.object(Second.Item.self, rowID: 2)?.title == "parent")
    }

    @Test func damageToLayoutsIsATypedError() throws {
        try writeFirst()
        let list = try bench.layouts(0)
        try bench.setEntry("layout/0/1", [UInt8(ascii: "{")])
        do {
            _ = try open(First.Item.self)
            Issue.record("a damaged catalog was taken")
        } catch StoreError.badCatalog(let name, _) {
            #expect(name == "Item")
        }
        let layout = try #require(list.layouts.first)
        let other = Layout(number: 9, version: layout.version, fields: layout.fields)
        try bench.setLayouts(0, LayoutList(layouts: [other]))
        let lost = try open(First.Item.self)
        #expect(throws: StoreError.unknownLayout(class: "Item", row: 2, number: 1)) {
            try lost.object(First.Item.self, rowID: 2)
        }
    }

    @Test func storesThatShareABackendAgreeOnNumbers() throws {
        try writeFirst()
        let two = try open(Second.Item.self)
        let four = try open(Fourth.Item.self)
        two.insert(Second.Item())
        four.insert(Fourth.Item())
        try two.save()
        try four.save()
        #expect(try bench.layouts(0).layouts.map(\.number) == [1, 2, 3])
        let last = try open(Fourth.Item.self)
        let found = try last.objects(of: Fourth.Item.self)
        #expect(try found.map { try record($0.rowID)[0] } == [1, 1, 2, 3])
        #expect(try two.object(Second.Item.self, rowID: 2)?.title == "parent")
    }
}
