import Cabinet

/// An order of songs, as a person names it.
struct SongOrder: Hashable {
    enum Key: String, CaseIterable {
        case title, artist, album, year, time
    }

    let key: Key
    let isDescending: Bool

    /// - Parameter text: the name of a key, after a `-` if the last one comes first; `nil` for no order.
    /// - Throws: ``UsageError`` if there is no such key.
    init?(_ text: String?) throws(UsageError) {
        guard let text else { return nil }
        isDescending = text.hasPrefix("-")
        guard let key = Key(rawValue: isDescending ? String(text.dropFirst()) : text) else {
            let known = Key.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("Songs have no order \"\(text)\". There are: \(known).")
        }
        self.key = key
    }

    /// The order as the store's indexes have it: songs without a year first, regardless of case.
    var order: ObjectOrder<Song> {
        switch key {
        case .title: collated(\.title)
        case .artist: collated(\.artist)
        case .album: collated(\.album)
        case .year: isDescending ? .descending(\.year) : .ascending(\.year)
        case .time: isDescending ? .descending(\.seconds) : .ascending(\.seconds)
        }
    }

    private func collated(_ text: KeyPath<Song, String> & Sendable) -> ObjectOrder<Song> {
        isDescending ? .descending(text, .caseInsensitive) : .ascending(text, .caseInsensitive)
    }
}
