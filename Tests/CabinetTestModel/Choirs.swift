import Cabinet

// Singers and choirs, as programs of several years had them.

/// The other side is not maintained: each class has a relationship of its own.
enum Loose {
    final class Singer: StoredObject {
        @Field var name = ""
        @Many var choirs: [Choir]
        @One var base: Choir?
        @One var partner: Singer?
    }
    final class Choir: StoredObject {
        @Field var name = ""
        @Many var singers: [Singer]
        @Many var residents: [Singer]
        @One var leader: Singer?
    }
}

/// Singers know nothing of their choirs yet.
enum OneSided {
    final class Singer: StoredObject {
        @Field var name = ""
    }
    final class Choir: StoredObject {
        @Field var name = ""
        @Many var singers: [Singer]
    }
}

/// Singers know their base, choirs do not know the singers that are based there.
enum OtherSided {
    final class Singer: StoredObject {
        @Field var name = ""
        @One var base: Choir?
    }
    final class Choir: StoredObject {
        @Field var name = ""
    }
}

/// As today's program has them: the choirs name the inverses.
enum Paired {
    final class Singer: StoredObject {
        @Field var name = ""
        @Many var choirs: [Choir]
        @One var base: Choir?
        @One var led: Choir?
        @One(inverse: \Singer.chosenBy) var partner: Singer?
        @One var chosenBy: Singer?
    }
    final class Choir: StoredObject {
        @Field var name = ""
        @Many(inverse: \Singer.choirs, onDelete: .nullify) var singers: [Singer]
        @Many(inverse: \Singer.base) var residents: [Singer]
        @One(inverse: \Singer.led) var leader: Singer?
    }
}

/// All by hand, and of a lower version.
enum ByHand {
    final class Singer: StoredObject {
        var name = ""
        var base: Choir?
        override func writeContent(to buffer: DataBuffer) {
            buffer.writeString(name)
            buffer.writeReference(base)
        }
        override func readContent(from buffer: DataBuffer) throws {
            name = try buffer.readString()
            base = try buffer.readReference()
        }
    }
    final class Choir: StoredObject {
        private var storedSingers: [Singer] = []
        var singers: [Singer] {
            get {
                willRead()
                return storedSingers
            }
            set {
                willChange()
                storedSingers = newValue
            }
        }
        override func writeContent(to buffer: DataBuffer) { buffer.writeReferences(storedSingers) }
        override func readContent(from buffer: DataBuffer) throws {
            storedSingers = try buffer.readReferences()
        }
    }
}

/// What was written by hand declares its fields now, and leads back.
enum AfterHand {
    final class Singer: StoredObject {
        @Field var name = ""
        @Many var choirs: [Choir]
        @One var base: Choir?
        override class var version: UInt8 { 2 }
        override func readContent(from buffer: DataBuffer) throws {
            name = try buffer.readString()
            base = try buffer.readReference()
        }
    }
    final class Choir: StoredObject {
        @Many(inverse: \Singer.choirs) var singers: [Singer]
        @Many(inverse: \Singer.base) var residents: [Singer]
        override class var version: UInt8 { 2 }
        override func readContent(from buffer: DataBuffer) throws {
            singers = try buffer.readReferences()
        }
    }
}
