import CabinetBackend
import Foundation

@testable import Cabinet

/// A class with an index of each kind.
final class IndexedSong: StoredObject {
    @Field var title = ""
    @Field var artist = ""
    @Field var year = 0
    @Field var isrc: String?
    @Field var rating = 0
    @Field var tags: [String] = []
    @One var album: IndexedAlbum?

    convenience init(_ title: String, artist: String = "", year: Int = 0) {
        self.init()
        (self.title, self.artist, self.year) = (title, artist, year)
    }

    override class var indexes: [Index] {
        [
            .ordered(\IndexedSong.artist, \IndexedSong.year),
            .unique(\IndexedSong.isrc),
            .ordered(\IndexedSong.title, collation: .caseInsensitive),
            .ordered(\IndexedSong.rating, named: "rated", version: 2, where: { $0.rating > 0 }),
            .elements(of: \IndexedSong.tags),
            .ordered(\IndexedSong.album),
            .computed(named: "initial") { (song: IndexedSong) in String(song.title.prefix(1)) },
        ]
    }
}

/// The other side of a relationship that is indexed.
final class IndexedAlbum: StoredObject {
    @Field var name = ""
    @Many(inverse: \IndexedSong.album) var songs: [IndexedSong]
}

extension Store {
    /// What the tables of the class's indexes hold, by index, and what they should hold by the records.
    func indexContents(
        of type: StoredObject.Type
    ) throws -> [String: (found: [String], expected: [String])] {
        let storedClass = try registered(type)
        guard let indexes = try indexKeeper?.indexes(of: storedClass) else { return [:] }
        var contents: [String: (found: [String], expected: [String])] = [:]
        let run = EntryRun()
        for index in indexes.all {
            guard let table = index.table else { continue }
            var found: [String] = []
            let cursor = try reader.entries(in: table, range: .everything, descending: false)
            while try cursor.next(run) {
                while let (key, value) = run.next() {
                    found.append("\(Array(key)) \(Array(value))")
                }
            }
            contents[index.name] = (found, try expectedEntries(of: index, storedClass))
        }
        return contents
    }

    private func expectedEntries(of index: ClassIndex, _ storedClass: StoredClass) throws
        -> [String]
    {
        let cursor = RowCursor(self, fields(of: storedClass), ofRecords: true)
        let keys = IndexKeys()
        var expected: [[UInt8]: String] = [:]
        let walk = try reader.records(in: storedClass.table)
        let run = RecordRun()
        while try walk.next(run) {
            while let (row, record) = run.next() {
                guard try cursor.take(record, at: row) else { continue }
                if index.index.isMultiple {
                    try keys.makeSeveral(of: index, cursor)
                    for key in keys.several { expected[key] = "\(key) []" }
                    continue
                }
                try keys.withKey(of: index, cursor) { key in
                    guard let key else { return }
                    IndexValue.withBytes(of: row, isAlone: key.isAlone) {
                        expected[Array(key.bytes)] = "\(Array(key.bytes)) \(Array($0))"
                    }
                }
            }
        }
        return expected.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }
}
