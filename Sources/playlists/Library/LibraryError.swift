import Cabinet

/// Why the library could not do what it was asked. Nothing has changed.
enum LibraryError: Error, Hashable {
    /// What can be meant by a title or by `@ROW`.
    enum Kind: String {
        case song, playlist
    }

    case notFound(Kind, name: String)
    /// Several have this title; `rows` are theirs, ascending.
    case ambiguous(Kind, name: String, rows: [RowID])
    /// A playlist of this title is there already.
    case titleTaken(String)
    case emptyTitle
    /// There is no place `place` in the playlist; the places are 1 to `last`.
    case noSuchPlace(Int, playlist: String, last: Int)
    /// There is no library in this directory yet.
    case noLibrary(path: String)
}

extension LibraryError: CustomStringConvertible {
    var description: String {
        switch self {
        case .notFound(let kind, let name):
            "There is no \(kind.rawValue) \"\(name)\". Try: playlists search \"\(name)\""
        case .ambiguous(let kind, let name, let rows):
            "\(rows.count) \(kind.rawValue)s are called \"\(name)\". Say which one: "
                + rows.prefix(8).map { "@\($0)" }.joined(separator: ", ")
                + (rows.count > 8 ? ", …" : "")
        case .titleTaken(let title):
            "There is a playlist \"\(title)\" already. Choose another title."
        case .emptyTitle:
            "A playlist needs a title."
        case .noSuchPlace(let place, let playlist, let last):
            "There is no place \(place) in \"\(playlist)\", which has \(last)."
        case .noLibrary(let path):
            "There is no library in \(path) yet. Begin with: playlists import FILE"
        }
    }
}
