@testable import Cabinet

/// Albums with tracks, for tests of stores side by side.
final class Album: StoredObject {
    @Field var title = ""
    @Field var year = 0
    @Many(inverse: \Track.album) var tracks: [Track]
    @Many(inverse: \Label.albums) var labels: [Label]
}

final class Track: StoredObject {
    @Field var title = ""
    @Field var seconds = 0
    @One var album: Album?
    @One(inverse: \Cover.track) var cover: Cover?
}

final class Cover: StoredObject {
    @Field var name = ""
    @One var track: Track?
}

final class Label: StoredObject {
    @Field var name = ""
    @Many var albums: [Album]
}

let trackClasses: [StoredObject.Type] = [Album.self, Track.self, Cover.self, Label.self]
