import Cabinet
import Foundation

final class Track: StoredObject {
    @Field var title = ""
    @Field var seconds: UInt32 = 0
    @Field var released: Date?
    @Many var lists: [TrackList]
}

final class TrackList: StoredObject {
    @Field var title = ""
    @Many(inverse: \Track.lists, onDelete: .nullify) var tracks: [Track]
}
