import Cabinet

/// An item and its picture, as programs declared them over the years: at first the picture was a
/// text of the item.
protocol Pictured: StoredObject {
    var name: String { get set }
    var pictures: [StoredObject] { get }
}
protocol Picturing: StoredObject {
    var artwork: String { get set }
    var items: [StoredObject] { get }
}

enum Unpictured {
    final class Item: StoredObject {
        @Field var name = ""
        @Field var artwork = ""
    }
}

/// The item's side names the inverse.
enum PicturedByItem {
    final class Item: StoredObject, Pictured {
        @Field var name = ""
        @One(inverse: \Media.item) var media: Media?
        var pictures: [StoredObject] { media.map { [$0] } ?? [] }
        override func upgrade(from record: RawRecord) throws {
            media = try Media.made(from: record)
        }
    }
    final class Media: StoredObject, Picturing {
        @Field var artwork = ""
        @One var item: Item?
        var items: [StoredObject] { item.map { [$0] } ?? [] }
    }
}

/// Likewise, and to many.
enum PicturedMany {
    final class Item: StoredObject, Pictured {
        @Field var name = ""
        @Many(inverse: \Media.item) var media: [Media]
        var pictures: [StoredObject] { media }
        override func upgrade(from record: RawRecord) throws {
            if let made = try Media.made(from: record) { media.append(made) }
        }
    }
    final class Media: StoredObject, Picturing {
        @Field var artwork = ""
        @One var item: Item?
        var items: [StoredObject] { item.map { [$0] } ?? [] }
    }
}

/// The picture's side names the inverse.
enum PicturedByMedia {
    final class Item: StoredObject, Pictured {
        @Field var name = ""
        @One var media: Media?
        var pictures: [StoredObject] { media.map { [$0] } ?? [] }
        override func upgrade(from record: RawRecord) throws {
            media = try Media.made(from: record)
        }
    }
    final class Media: StoredObject, Picturing {
        @Field var artwork = ""
        @One(inverse: \Item.media) var item: Item?
        var items: [StoredObject] { item.map { [$0] } ?? [] }
    }
}
enum PicturedManyByMedia {
    final class Item: StoredObject, Pictured {
        @Field var name = ""
        @Many var media: [Media]
        var pictures: [StoredObject] { media }
        override func upgrade(from record: RawRecord) throws {
            media = try Media.made(from: record).map { [$0] } ?? []
        }
    }
    final class Media: StoredObject, Picturing {
        @Field var artwork = ""
        @One(inverse: \Item.media) var item: Item?
        var items: [StoredObject] { item.map { [$0] } ?? [] }
    }
}

/// To many on both sides.
enum PicturedManyToMany {
    final class Item: StoredObject, Pictured {
        @Field var name = ""
        @Many(inverse: \Media.owners) var media: [Media]
        var pictures: [StoredObject] { media }
        override func upgrade(from record: RawRecord) throws {
            if let made = try Media.made(from: record) { media.append(made) }
        }
    }
    final class Media: StoredObject, Picturing {
        @Field var artwork = ""
        @Many var owners: [Item]
        var items: [StoredObject] { owners }
    }
}

/// The upgrade sets the other side.
enum PicturedFromOutside {
    final class Item: StoredObject, Pictured {
        @Field var name = ""
        @One(inverse: \Media.item) var media: Media?
        var pictures: [StoredObject] { media.map { [$0] } ?? [] }
        override func upgrade(from record: RawRecord) throws {
            try Media.made(from: record)?.item = self
        }
    }
    final class Media: StoredObject, Picturing {
        @Field var artwork = ""
        @One var item: Item?
        var items: [StoredObject] { item.map { [$0] } ?? [] }
    }
}

/// Nothing leads back.
enum PicturedLoosely {
    final class Item: StoredObject, Pictured {
        @Field var name = ""
        @One var media: Media?
        var pictures: [StoredObject] { media.map { [$0] } ?? [] }
        override func upgrade(from record: RawRecord) throws {
            media = try Media.made(from: record)
        }
    }
    final class Media: StoredObject, Picturing {
        @Field var artwork = ""
        var items: [StoredObject] { [] }
    }
}

/// An item that makes a picture and then cannot be read.
enum PicturedBadly {
    struct Refusal: Error {}
    final class Item: StoredObject {
        @Field var name = ""
        @One(inverse: \Media.item) var media: Media?
        override func upgrade(from record: RawRecord) throws {
            media = try Media.made(from: record)
            throw Refusal()
        }
    }
    final class Media: StoredObject, Picturing {
        @Field var artwork = ""
        @One var item: Item?
        var items: [StoredObject] { item.map { [$0] } ?? [] }
    }
}

/// All items stand in one list, which is there already.
enum Catalogued {
    final class Item: StoredObject {
        @Field var name = ""
        @One var shelf: Shelf?
        override func upgrade(from record: RawRecord) throws {
            shelf = try store?.objects(of: Shelf.self).first
        }
    }
    final class Shelf: StoredObject {
        @Field var name = ""
        @Many(inverse: \Item.shelf) var items: [Item]
    }
}

/// A relationship under a new name, of which only the upgrade knows.
enum Renamed {
    enum Old {
        final class Item: StoredObject {
            @One var picture: Media?
        }
        final class Media: StoredObject {
            @Field var title = ""
        }
    }
    final class Item: StoredObject {
        @Field var name = ""
        @One(inverse: \Media.item) var media: Media?
        override func upgrade(from record: RawRecord) throws {
            guard let picture = try record.objects("picture")?.first as? Media else { return }
            media = picture
            name = picture.title
        }
    }
    final class Media: StoredObject {
        @Field var title = ""
        @One var item: Item?
    }
}

extension Picturing {
    /// The picture that an old record holds.
    static func made(from record: RawRecord) throws -> Self? {
        guard let artwork: String = try record.value("artwork") else { return nil }
        let media = Self()
        media.artwork = artwork
        return media
    }
}
