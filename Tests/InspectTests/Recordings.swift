import Cabinet
import Foundation

// A small model with declared fields, relationships either way, and a class that writes by hand.

final class Song: StoredObject {
    @Field var title = ""
    @Field var seconds: UInt32 = 0
    @Field var released: Date?
    @Field var key = UUID()
    @Field var gain = Float.nan
    @Field var price = Decimal(0)
    @Field var huge = UInt128.max
    @Field var tags: [String: Int8] = [:]
    @Field var places: [Int16: Bool] = [:]
    @Field var cover = Data()
    @Many var playlists: [Playlist]
}

final class Playlist: StoredObject {
    @Field var title = ""
    @Many(inverse: \Song.playlists, onDelete: .nullify) var songs: [Song]
    @One var note: Note?
    @One var anything: StoredObject?
}

final class Note: StoredObject {
    var text = ""
    override func writeContent(to buffer: DataBuffer) { buffer.writeString(text) }
    override func readContent(from buffer: DataBuffer) throws { text = try buffer.readString() }
}

/// Its referrers are kept.
final class Guest: StoredObject {
    @Field var name = ""
    override class var tracksReferrers: Bool { true }
}

final class Desk: StoredObject {
    var guests: [Guest] = []
    override func writeContent(to buffer: DataBuffer) { buffer.writeReferences(guests) }
    override func readContent(from buffer: DataBuffer) throws {
        guests = try buffer.readReferences()
    }
}

extension InspectStore {
    static let classes: [StoredObject.Type] = [Song.self, Playlist.self, Note.self]

    func open() throws -> Store {
        try Store(directory: URL(fileURLWithPath: path), classes: Self.classes)
    }

    /// Two songs in rows 2 and 3, a playlist of both and a note, in row 2 of their classes.
    /// - Parameter backend: where; `nil`: in the directory.
    func makeRecordings(in backend: (any Backend)? = nil) throws {
        let store =
            if let backend { try Store(backend: backend, classes: Self.classes) } else {
                try open()
            }
        let (one, two, list, note) = (Song(), Song(), Playlist(), Note())
        one.title = "Echoes \"live\" & \u{1B}[1m <b>"
        one.seconds = 1423
        one.released = Date(timeIntervalSinceReferenceDate: 0.5)
        one.key = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? UUID()
        one.price = Decimal(string: "-0.10") ?? 0
        one.tags = ["b": -2, "a": 1]
        one.places = [7: true]
        one.cover = Data([0, 255])
        two.title = "Time"
        note.text = "old"
        list.title = "Floyd"
        list.songs = [one, two, one]
        list.note = note
        list.anything = two
        for object in [one, two, list, note] { store.insert(object) }
        try store.save()
        try store.close()
    }

    /// Puts bytes in the place of a record, or of what the catalog has under a name.
    func put(_ bytes: [UInt8], at row: RowID, of name: String) throws {
        let store = try open()
        let table = try store.backend.tables().first { $0.name == name }?.number ?? 0
        let batch = store.backend.makeBatch()
        let buffer = batch.beginRecord(row, in: table)
        bytes.withUnsafeBytes { buffer.writeRawBytes($0) }
        try batch.endRecord()
        try store.backend.commit(batch)
        try store.close()
    }

    func delete(_ row: RowID, of name: String) throws {
        let store = try open()
        let table = try store.backend.tables().first { $0.name == name }?.number ?? 0
        let batch = store.backend.makeBatch()
        try batch.deleteRow(row, in: table)
        try store.backend.commit(batch)
        try store.close()
    }
}
