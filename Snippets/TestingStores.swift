import Cabinet
import CabinetTestSupport

final class Song: StoredObject {
    @Field var title = ""
}

func titlesAfterARelaunch() throws -> [String] {
    let temporary = try TemporaryStore([Song.self])
    let song = Song()
    song.title = "Echoes"
    temporary.store.insert(song)
    try temporary.store.save()
    let again = try temporary.reopen()  // what the next launch would find
    return try again.objects(of: Song.self).map(\.title)
}
