import Cabinet
import Foundation

enum SongGroup: String, CaseIterable {
    case artists, albums, genres, years

    /// What one of them is called.
    var heading: String { rawValue.dropLast().capitalized }
}

/// How many songs have something in common.
struct SongCount: Hashable {
    let name: String
    let songs: Int
    let seconds: Int
}

extension Library {
    /// The songs of each artist by title; those of which the artist is not known do not count.
    var byArtist: ArrangedObjects<String, Song> {
        get throws {
            try store.indexes.arrangement("byArtist", of: Song.self, groupedBy: String.self)
        }
    }

    /// How many songs of each artist, album, genre or year there are, and their playing time: those with
    /// the most first, then by name. Songs of which it is not known do not count.
    ///
    /// - Parameter byTime: whether those with the most time come first, and not with the most songs.
    func counts(of group: SongGroup, byTime: Bool) throws -> [SongCount] {
        let counts =
            switch group {
            case .artists: try counts(by: \.artist)
            case .albums: try counts(by: \.album)
            case .genres: try counts(by: \.genre)
            case .years:
                try store.query(Song.self).groups(by: \.year, .count, .sum(\.seconds)).compactMap {
                    year, found in
                    year.map { SongCount(name: "\($0)", songs: found.0, seconds: found.1) }
                }
            }
        // The groups come in the order of their names, or years.
        return counts.enumerated().sorted { one, other in
            let (first, second) =
                byTime
                ? (one.element.seconds, other.element.seconds)
                : (one.element.songs, other.element.songs)
            return first == second ? one.offset < other.offset : first > second
        }.map(\.element)
    }

    private func counts(by text: KeyPath<Song, String> & Sendable) throws -> [SongCount] {
        try store.query(Song.self).groups(by: text, .count, .sum(\.seconds)).compactMap {
            name, found in
            name.isEmpty ? nil : SongCount(name: name, songs: found.0, seconds: found.1)
        }
    }

    /// The songs that share title and artist with others, those that do together, by title and then by
    /// artist.
    func duplicates() throws -> [[Song]] {
        let titles: [(key: String, results: Int)] = try store.query(Song.self).groups(
            by: \.title, .count)
        return try titles.filter { $0.results > 1 }.flatMap { title, _ in
            let songs = try store.fetch(Song.self, where: #Predicate { $0.title == title })
            return Dictionary(grouping: songs, by: \.artist).filter { $0.value.count > 1 }
                .sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
