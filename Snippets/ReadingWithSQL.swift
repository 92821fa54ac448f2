import Cabinet
import Foundation

final class Artist: StoredObject {
    @Field var name = ""
    @Many(inverse: \Track.artist) var tracks: [Track]
}

final class Track: StoredObject {
    @Field var title = ""
    @Field var seconds = 0
    @Field var released: Date?
    @One var artist: Artist?
}
