import Cabinet
import CabinetTools
import Foundation

/// The songs and playlists of a store, and what can be done with them.
///
/// Nothing here saves; ``Session`` does. Not `Sendable`: it lives where its store does.
final class Library {
    let store: Store

    init(_ store: Store) {
        self.store = store
    }
}

// MARK: - Opening

extension Library {
    /// What a store of this program must be opened with.
    static let classes: [StoredObject.Type] = [Song.self, Playlist.self]

    /// Where the library is if the user names no other place: `playlists/Music` in
    /// `~/.local/share` (or `$XDG_DATA_HOME`), on macOS in `~/Library/Application Support`.
    static var defaultAddress: StoreAddress { .directory(directory.appending(path: "Music").path) }

    /// What the program keeps for its user.
    static var directory: URL {
        let directories = FileManager.default.urls(
            for: .applicationSupportDirectory, in: .userDomainMask)
        return (directories.first ?? .homeDirectory.appending(path: ".local/share"))
            .appending(path: "playlists")
    }

    /// Opens the store file at an address: a path that ends with `.cabinet` and is no directory; `nil` for any
    /// other.
    ///
    /// - Throws: as ``open(_:for:)``.
    static func file(at address: StoreAddress, for opening: Command.Opening) throws -> StoreFile? {
        var isDirectory: ObjCBool = false
        guard case .directory(let path) = address, path.hasSuffix(".cabinet") else { return nil }
        let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        if isDirectory.boolValue { return nil }
        guard isThere || opening == .creating else { throw LibraryError.noLibrary(path: path) }
        let file = try StoreFile(URL(filePath: path), classes: classes)
        file.describe = { store, metadata in
            metadata.title = URL(filePath: path).deletingPathExtension().lastPathComponent
            let playlists = (try? store.objects(of: Playlist.self)) ?? []
            metadata.keywords = playlists.prefix(100).map(\.title)
            metadata.preview = counted((try? store.count(of: Song.self)) ?? 0, "song")
        }
        return file
    }

    /// Opens the store at an address.
    ///
    /// - Throws: ``LibraryError/noLibrary(path:)`` if there is none and `opening` may not make
    ///   one, and what the store throws.
    static func open(_ address: StoreAddress, for opening: Command.Opening) throws -> Store {
        if let path = address.path, opening != .creating,
            !FileManager.default.fileExists(atPath: path)
        {
            throw LibraryError.noLibrary(path: path)
        }
        let access: Access = opening == .reading ? .readOnly : .readWrite
        if case .directory(let path) = address {
            return try Store(
                directory: URL(filePath: path, directoryHint: .isDirectory), classes: classes,
                access: access)
        }
        return try Store(backend: address.open(access), classes: classes)
    }
}

// MARK: - Finding

extension Library {
    /// The playlist of that title, or in the row of `@ROW`.
    ///
    /// - Throws: ``LibraryError/notFound(_:name:)``, ``LibraryError/ambiguous(_:name:rows:)``.
    func playlist(_ name: String) throws -> Playlist {
        try find(Playlist.self, name, as: .playlist, title: \.title) { name in
            try store.fetch(Playlist.self, where: #Predicate { $0.title == name })
        }
    }

    /// The song of that title, or in the row of `@ROW`.
    ///
    /// - Throws: ``LibraryError/notFound(_:name:)``, ``LibraryError/ambiguous(_:name:rows:)``.
    func song(_ name: String) throws -> Song {
        try find(Song.self, name, as: .song, title: \.title) { name in
            try store.fetch(Song.self, where: #Predicate { $0.title == name })
        }
    }

    /// An exact title counts before one that differs in case.
    ///
    /// - Parameter exact: gives the objects of an exact title.
    private func find<Object: StoredObject>(
        _ type: Object.Type, _ name: String, as kind: LibraryError.Kind,
        title: KeyPath<Object, String>, exact: (String) throws -> [Object]
    ) throws -> Object {
        var candidates: [Object] = []
        if name.hasPrefix("@"), let row = UInt32(name.dropFirst()) {
            candidates = try [store.object(type, rowID: RowID(row))].compactMap { $0 }
        } else {
            candidates = try exact(name)
            if candidates.isEmpty {
                let folded = name.lowercased()
                candidates = try store.objects(of: type).filter {
                    $0[keyPath: title].lowercased() == folded
                }
            }
        }
        guard let first = candidates.first else { throw LibraryError.notFound(kind, name: name) }
        guard candidates.count == 1 else {
            throw LibraryError.ambiguous(kind, name: name, rows: candidates.map(\.rowID))
        }
        return first
    }
}
