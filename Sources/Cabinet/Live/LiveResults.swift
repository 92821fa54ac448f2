/// What a store keeps up to date besides queries: what ``Store/live`` gives. Queries have ``StoreQuery/live(includingPending:)``.
///
/// ```swift
/// let songs = try store.live.objects(\Playlist.songs, of: playlist)
/// let plays = try store.live.value(following: Song.self) { try $0.query(Song.self).sum(\.plays) }
/// ```
///
/// Not `Sendable`: it belongs to the isolation domain of its store.
public struct LiveResults {
    let store: Store
}

extension Store {
    /// Objects and values of the store that are kept up to date.
    public var live: LiveResults { LiveResults(store: self) }
}
