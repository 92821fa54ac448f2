import Cabinet
import CabinetMemory
import Foundation
import Testing

@testable import CabinetTestModel

struct FieldTests {
    let backend = MemoryBackend()

    func open(_ classes: [StoredObject.Type]) throws -> Store {
        try Store(backend: backend, classes: classes)
    }

    /// The value in `row` of the store's first table, without its version byte.
    func content(of row: RowID = 2) throws -> [UInt8] {
        let table = try #require(try backend.tables().first).number
        let buffer = DataBuffer()
        #expect(try backend.value(of: row, in: table, into: buffer))
        return buffer.withUnsafeBytes { Array($0.dropFirst()) }
    }

    @Test func everyKindOfFieldComesBack() throws {
        let store = try open([Everything.self])
        let one = Everything()
        one.fill()
        let empty = Everything()
        store.insert(one)
        store.insert(empty)
        try store.save()

        let found = try open([Everything.self]).objects(of: Everything.self)
        #expect(found[0].bool)
        #expect(found[0].int8 == -8 && found[0].uint64 == .max && found[0].int == .min)
        #expect(found[0].float == 1.5 && found[0].double == -0.1)
        #expect(found[0].text == one.text && found[0].data == one.data)
        #expect(found[0].date == one.date && found[0].uuid == one.uuid && found[0].url == one.url)
        #expect(found[0].decimal == one.decimal)
        #expect(found[0].genre == .soul && found[0].mood == .wild && found[0].moods == .wild)
        #expect(found[0].price == one.price && found[0].prices == one.prices)
        #expect(found[0].place == one.place && found[0].birthplace == one.birthplace)
        #expect(found[0].places == one.places && found[0].numbers == one.numbers)
        #expect(found[0].tags == one.tags && found[0].counts == one.counts)
        #expect(found[0].notes as? String == "not stored" && found[0].cache == [1, 2, 3])
        #expect(found[1].text == "first" && found[1].uuid == nil && found[1].mood == nil)
        #expect(found[1].birthplace == nil && found[1].places.isEmpty && !found[1].bool)
    }

    @Test func fieldsStandInTheRecordInTheirOrder() throws {
        let store = try open([Track.self])
        let track = Track("AB", seconds: 0x0102_0304)
        track.released = Date(timeIntervalSinceReferenceDate: 1)
        store.insert(track)
        try store.save()
        #expect(
            try content() == [
                2, 0, 0, 0, 0x41, 0x42, 4, 3, 2, 1, 1, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0,
            ])
    }

    @Test func inheritedFieldsComeFirst() throws {
        let store = try open([Fresco.self, Work.self])
        let fresco = Fresco()
        fresco.name = "F"
        fresco.year = 1511
        fresco.width = 2
        fresco.wall = "W"
        store.insert(fresco)
        let work = Work()
        work.name = "only a work"
        store.insert(work)
        try store.save()
        let expected: [UInt8] = [
            1, 0, 0, 0, 0x46, 0xE7, 0x05, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0x57,
        ]
        #expect(try content() == expected)

        let again = try open([Work.self, Fresco.self])
        let found = try #require(try again.objects(of: Fresco.self).first)
        #expect(found.name == "F" && found.year == 1511 && found.width == 2 && found.wall == "W")
        #expect(try again.objects(of: Work.self).map(\.name) == ["only a work"])
    }

    @Test func touchingAFaultReadsItAndChangingItIsNoticed() throws {
        let store = try open([Track.self])
        store.insert(Track("One"))
        try store.save()
        let again = try open([Track.self])
        let track = try #require(try again.object(Track.self, rowID: 2))
        try again.rollback(track)
        #expect(track.isFault)
        #expect(track.title == "One")
        #expect(!track.isFault && !again.hasChanges)
        track.title.append(", in place")
        #expect(again.hasChanges && track.isChanged)
        try again.save()
        #expect(try open([Track.self]).objects(of: Track.self).map(\.title) == ["One, in place"])
    }

    @Test func undoAndRollbackBringValuesBack() throws {
        let store = try open([Everything.self])
        store.undoHistory.isEnabled = true
        let object = Everything()
        store.insert(object)
        try store.save()
        try store.undoHistory.group("Fill") { object.fill() }
        #expect(object.tags == ["a", "b"])
        try store.undoHistory.undo()
        #expect(object.text == "first" && object.tags.isEmpty && object.uuid == nil)
        try store.undoHistory.redo()
        #expect(object.tags == ["a", "b"] && object.genre == .soul)
        store.rollback()
        #expect(object.text == "first" && object.genre == .jazz)
    }

    @Test func declaredAndHandWrittenClassesShareAStore() throws {
        let store = try open([Track.self, Song.self, Playlist.self, Custom.self])
        let song = Song("By hand")
        let custom = Custom()
        custom.text = "both"
        custom.extra = 7
        store.insert(song)
        store.insert(Playlist("List", [song]))
        store.insert(Track("Declared", seconds: 3))
        store.insert(custom)
        try store.save()
        let again = try open([Custom.self, Playlist.self, Song.self, Track.self])
        #expect(try again.objects(of: Playlist.self)[0].songs[0].title == "By hand")
        #expect(try again.objects(of: Track.self)[0].seconds == 3)
        let found = try again.objects(of: Custom.self)[0]
        #expect(found.text == "both" && found.extra == 7)
    }

    @Test func aDamagedRecordLeavesInitialValues() throws {
        let store = try open([Track.self])
        let track = Track("Whole", seconds: 9)
        store.insert(track)
        try store.save()
        let table = try #require(try backend.tables().first).number
        let batch = backend.makeBatch()
        let buffer = batch.beginRecord(track.rowID, in: table)
        buffer.writeUInt8(1)
        buffer.writeString("Torn")
        try batch.endRecord()
        try backend.commit(batch)
        try store.rollback(track)
        #expect(track.title == "" && track.seconds == 0)
        #expect(track.fetchError != nil)
        track.title = "Mine"
        #expect(throws: StoreError.contentNotRead(class: "Track", row: track.rowID)) {
            try store.save()
        }
    }

    @Test func aFieldThatCannotBeStoredIsNamed() throws {
        do {
            _ = try open([Track.self, Unkept.self])
            Issue.record("a class with a field that cannot be stored was registered")
        } catch StoreError.cannotStore(let name, let field, _) {
            #expect(name == "Unkept" && field == "secret")
        }
    }
}
