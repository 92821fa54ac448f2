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
#endif
