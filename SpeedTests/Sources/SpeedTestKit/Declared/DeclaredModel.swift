import Cabinet

/// The classes of the tests as declared fields.
enum Declared {
    final class Song: StoredObject {
        @Field var title = ""
        @Field var number: UInt32 = 0
        convenience init(title: String, number: UInt32) {
            self.init()
            self.title = title
            self.number = number
        }
    }

    /// A song that knows the lists in which it stands.
    final class Track: StoredObject {
        @Field var number: UInt32 = 0
        @Many var lists: [TrackList]
        @One var first: TrackList?

        convenience init(number: UInt32) {
            self.init()
            self.number = number
        }
    }

    final class TrackList: StoredObject {
        @Many(inverse: \Track.lists) var tracks: [Track]
    }
}

/// The same as a plain Swift class, which tests a flag at each access, as one in a store must.
enum Plain {
    class Object {
        @exclusivity(unchecked) final var flags: UInt32

        init(flags: UInt32) { self.flags = flags }

        @inline(__always) final func willRead() { if flags & 1 != 0 { respond() } }
        @inline(__always) final func willChange() { if flags & 3 != 0 { respond() } }
        @inline(never) final func respond() { flags = 0 }
    }

    final class Song: Object {
        private var storedNumber: UInt32
        var number: UInt32 {
            get {
                willRead()
                return storedNumber
            }
            set {
                willChange()
                storedNumber = newValue
            }
        }

        init(number: UInt32, flags: UInt32) {
            storedNumber = number
            super.init(flags: flags)
        }
    }

    /// No flags, no store: an array in an object.
    final class List {
        var songs: [Song] = []
    }
}
