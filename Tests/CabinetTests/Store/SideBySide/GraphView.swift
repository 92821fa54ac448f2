import CabinetBackend
import Testing

@testable import Cabinet

/// What a store shows of albums, tracks, covers and labels, as plain values.
struct GraphView: Equatable {
    struct TrackRow: Equatable {
        var title = ""
        var seconds = 0
        var album: RowID?
        var cover: RowID?
    }

    struct AlbumRow: Equatable {
        var title = ""
        var year = 0
        var labels: Set<RowID> = []
    }

    var tracks: [RowID: TrackRow] = [:]
    var albums: [RowID: AlbumRow] = [:]
    /// The lists of the albums, in order.
    var lists: [RowID: [RowID]] = [:]
    var labels: [RowID: String] = [:]
    var covers: [RowID: String] = [:]

    init() {}

    /// What `store` shows. Both sides of each relationship are expected to agree.
    init(of store: Store, _ place: Comment) throws {
        for cover in try store.objects(of: Cover.self) { covers[cover.rowID] = cover.name }
        for label in try store.objects(of: Label.self) { labels[label.rowID] = label.name }
        for track in try store.objects(of: Track.self) {
            tracks[track.rowID] = TrackRow(
                title: track.title, seconds: track.seconds, album: track.album?.rowID,
                cover: track.cover?.rowID)
            if let cover = track.cover { #expect(cover.track === track, place) }
            if let album = track.album {
                #expect(album.tracks.filter { $0 === track }.count == 1, place)
            }
        }
        for album in try store.objects(of: Album.self) {
            let list = album.tracks.map(\.rowID)
            albums[album.rowID] = AlbumRow(
                title: album.title, year: album.year, labels: Set(album.labels.map(\.rowID)))
            lists[album.rowID] = list
            #expect(album.tracks.allSatisfy { $0.album === album }, place)
            #expect(album.labels.allSatisfy { $0.albums.contains { $0 === album } }, place)
            #expect(Set(list).count == list.count, place)
        }
        for label in try store.objects(of: Label.self) {
            #expect(label.albums.allSatisfy { $0.labels.contains { $0 === label } }, place)
        }
        for cover in try store.objects(of: Cover.self) {
            if let track = cover.track { #expect(track.cover === cover, place) }
        }
    }

    /// The same without the orders of lists, which follow from the tracks but for that.
    var withoutOrders: GraphView {
        var view = self
        view.lists = view.lists.mapValues { $0.sorted() }
        return view
    }

    /// What differs, as text: this view's value, then the other's.
    func difference(from other: GraphView) -> [String] {
        Self.difference("track", tracks, other.tracks)
            + Self.difference("album", albums, other.albums)
            + Self.difference("list", lists, other.lists)
            + Self.difference("label", labels, other.labels)
            + Self.difference("cover", covers, other.covers)
    }

    private static func difference<Row: Equatable>(
        _ kind: String, _ these: [RowID: Row], _ those: [RowID: Row]
    ) -> [String] {
        Set(these.keys).union(those.keys).sorted().compactMap { row in
            if these[row] == those[row] { return nil }
            let (one, other) = (these[row].map { "\($0)" }, those[row].map { "\($0)" })
            return "\(kind) \(row): \(one ?? "none"), not \(other ?? "none")"
        }
    }

    /// Makes of `saved`, by the rules of a merge, what it is once changes that led from `base` to
    /// this view are saved, too. Nothing that one side has deleted was changed by the other.
    func merged(into saved: GraphView, from base: GraphView) -> GraphView {
        var result = saved
        // A cover has one track, so one that gets it takes it from another.
        var taken: Set<RowID> = []
        for (row, track) in tracks where track.cover != base.tracks[row]?.cover {
            if let cover = track.cover { taken.insert(cover) }
        }
        for (row, track) in result.tracks {
            if let cover = track.cover, taken.contains(cover) { result.tracks[row]?.cover = nil }
        }
        Self.merge(tracks, base.tracks, &result.tracks) { mine, base, theirs in
            if mine.title != base.title { theirs.title = mine.title }
            if mine.seconds != base.seconds { theirs.seconds = mine.seconds }
            theirs.album = Self.merge(mine.album, base.album, theirs.album)
            theirs.cover = Self.merge(mine.cover, base.cover, theirs.cover)
        }
        Self.merge(albums, base.albums, &result.albums) { mine, base, theirs in
            if mine.title != base.title { theirs.title = mine.title }
            if mine.year != base.year { theirs.year = mine.year }
            theirs.labels = theirs.labels.union(mine.labels.subtracting(base.labels))
                .subtracting(base.labels.subtracting(mine.labels))
        }
        Self.merge(labels, base.labels, &result.labels) { mine, base, theirs in
            if mine != base { theirs = mine }
        }
        Self.merge(covers, base.covers, &result.covers) { mine, base, theirs in
            if mine != base { theirs = mine }
        }
        result.lists = [:]
        for album in result.albums.keys { result.lists[album] = [] }
        for (row, track) in result.tracks {
            if let album = track.album { result.lists[album, default: []].append(row) }
        }
        return result.withoutOrders
    }

    /// One that is in no relationship any more here stays in that which the others have put it into.
    private static func merge(_ mine: RowID?, _ base: RowID?, _ theirs: RowID?) -> RowID? {
        if mine == base { return theirs }
        return mine == nil && theirs != base ? theirs : mine
    }

    private static func merge<Row: Equatable>(
        _ mine: [RowID: Row], _ base: [RowID: Row], _ result: inout [RowID: Row],
        _ body: (Row, Row, inout Row) -> Void
    ) {
        for (row, value) in mine {
            guard let before = base[row] else {
                result[row] = value
                continue
            }
            if var found = result[row], value != before {
                body(value, before, &found)
                result[row] = found
            }
        }
        for row in base.keys where mine[row] == nil { result[row] = nil }
    }
}
