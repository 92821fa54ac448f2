import Cabinet

/// The songs and playlists of a store, and what can be done with them.
///
/// Nothing here saves; ``Session`` does. Not `Sendable`: it lives where its store does.
final class Library {
    /// What a store of this program must be opened with.
    static let classes: [StoredObject.Type] = [Song.self, Playlist.self]

    let store: Store

    init(_ store: Store) {
        self.store = store
    }
}

// MARK: - Finding

extension Library {
    /// The playlist of that title, or in the row of `@ROW`.
    ///
    /// - Throws: ``LibraryError/notFound(_:name:)``, ``LibraryError/ambiguous(_:name:rows:)``.
    func playlist(_ name: String) throws -> Playlist {
        try find(Playlist.self, name, as: .playlist, title: \.title)
    }

    /// The song of that title, or in the row of `@ROW`.
    ///
    /// - Throws: ``LibraryError/notFound(_:name:)``, ``LibraryError/ambiguous(_:name:rows:)``.
    func song(_ name: String) throws -> Song {
        try find(Song.self, name, as: .song, title: \.title)
    }

    /// The songs with `text` in title, artist or album, rows ascending. Case and accents do not
    /// count.
    func songs(matching text: String) throws -> [Song] {
        var found: [Song] = []
        try store.forEach(Song.self) { song in
            let fields = [song.title, song.artist, song.album]
            if fields.contains(where: { $0.loosely(contains: text) }) { found.append(song) }
        }
        return found.sorted { $0.rowID < $1.rowID }
    }

    /// The playlists with `text` in the title, rows ascending.
    func playlists(matching text: String) throws -> [Playlist] {
        try store.objects(of: Playlist.self).filter { $0.title.loosely(contains: text) }
    }

    /// An exact title counts before one that differs in case.
    private func find<Object: StoredObject>(
        _ type: Object.Type, _ name: String, as kind: LibraryError.Kind,
        title: (Object) -> String
    ) throws -> Object {
        if name.hasPrefix("@"), let row = UInt32(name.dropFirst()) {
            guard let object = try store.object(type, rowID: row) else {
                throw LibraryError.notFound(kind, name: name)
            }
            return object
        }
        var exact: [Object] = []
        var similar: [Object] = []
        let folded = name.lowercased()
        try store.forEach(type) { object in
            let found = title(object)
            if found == name {
                exact.append(object)
            } else if exact.isEmpty, found.lowercased() == folded {
                similar.append(object)
            }
        }
        let candidates = exact.isEmpty ? similar : exact
        guard let first = candidates.first else {
            throw LibraryError.notFound(kind, name: name)
        }
        guard candidates.count == 1 else {
            let rows = candidates.map(\.rowID).sorted()
            throw LibraryError.ambiguous(kind, name: name, rows: rows)
        }
        return first
    }
}
