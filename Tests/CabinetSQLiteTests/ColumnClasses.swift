#if SQLite
    import Cabinet

    enum Earlier {
        final class Song: StoredObject {
            @Field var title = ""
            @Field var year = 0
            override class var storageName: String { "Song" }
        }
    }

    /// The same class in a later version of a program: a field has another name, one is new, one is gone.
    enum Later {
        final class Song: StoredObject {
            @Field(was: "title") var name = ""
            @Field var rating: Double?
            override class var storageName: String { "Song" }
        }
    }

    /// Under a name that begins as its next one.
    enum Before {
        final class Song: StoredObject {
            @Field var title = ""
            override class var storageName: String { "Song_old" }
        }
    }

    enum Renamed {
        final class Song: StoredObject {
            @Field var title = ""
            override class var storageName: String { "Song" }
            override class var formerStorageNames: [String] { ["Song_old"] }
        }
    }
#endif
