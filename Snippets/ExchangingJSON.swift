import Cabinet
import Foundation

final class Song: StoredObject {
    @Field var title = ""
    @One var album: Album?
}

final class Album: StoredObject {
    @Field var title = ""
    @Many(inverse: \Song.album) var songs: [Song]
}

/// An album with its songs, for a web page.
func json(of album: Album) throws -> Data {
    let encoder = JSONEncoder()
    encoder.userInfo[.relationshipDepth] = 1
    return try encoder.encode(album)
}

/// Moves all objects of one store into another.
func copy(_ source: Store, to target: Store, by file: URL) throws {
    try source.json.export(to: file)
    let report = try target.json.import(from: file)
    print("imported \(report.objects) objects")
    try target.save()
}
