import Foundation

@testable import Cabinet

/// What the stores of released versions keep, see `Tests/Fixtures/README.md`. Classes here must not change:
/// a later version adds others, and a fixture of its own.
enum Kept {
    enum Genre: String, Codable, CaseIterable, OrderedKeyValue { case jazz, soul, folk }

    struct Place: Codable, Equatable, Sendable {
        var city = ""
        var heights: [Double] = []
    }

    final class KeptArtist: StoredObject {
        @Field var name = ""
        @Field var born: Date?
        @Field var home = Place()
        @Many(inverse: \KeptSong.artist, onDelete: .cascade) var songs: [KeptSong]
        @One var friend: KeptArtist?

        override class var tracksReferrers: Bool { true }
        override class var indexes: [Index] {
            [.ordered(\KeptArtist.name, collation: .caseInsensitive), .ordered(\KeptArtist.friend)]
        }
    }

    final class KeptSong: StoredObject {
        @Field(was: "name") var title = ""
        @Field var code: String?
        @Field var seconds: Int32 = 0
        @Field var rating = 0.0
        @Field var price: Decimal = 0
        @Field var genre: Genre = .jazz
        @Field var tags: Set<String> = []
        @Field var identifier: UUID?
        @Field var cover = Data()
        @Field var link: URL?
        @Field var lyrics = ""
        @One var artist: KeptArtist?

        override class var indexes: [Index] {
            [
                .ordered(\KeptSong.artist, \KeptSong.seconds), .unique(\KeptSong.code),
                .ordered(\KeptSong.rating, named: "rated", version: 3, where: { $0.rating > 0 }),
                .elements(of: \KeptSong.tags), .ordered(\KeptSong.genre),
                .computed(named: "initial") { (song: KeptSong) in String(song.title.prefix(1)) },
            ]
        }
        override class var textIndexes: [TextIndex] {
            [
                .text(\KeptSong.title),
                .text(\KeptSong.title, tokenizer: .substring, named: "parts"),
                .text(\KeptSong.lyrics, tokenizer: .words(language: "en")),
            ]
        }
    }

    final class KeptList: StoredObject {
        @Field var title = ""
        @Many var songs: [KeptSong]
        @Many var others: [StoredObject]
    }

    /// A class that writes its records itself.
    final class KeptNote: StoredObject {
        var text = ""
        override func writeContent(to buffer: DataBuffer) { buffer.writeString(text) }
        override func readContent(from buffer: DataBuffer) throws { text = try buffer.readString() }
    }

    static let classes = exported + [KeptNote.self]
    /// Those that declare what they keep.
    static let exported: [StoredObject.Type] = [KeptArtist.self, KeptSong.self, KeptList.self]
}

/// The songs' class as it was when the first of them were saved.
enum KeptBefore {
    final class KeptSong: StoredObject {
        @Field var name = ""
        @Field var seconds: Int16 = 0
        @Field var rating: Float = 0
        @Field var forgotten = "x"
    }
}
