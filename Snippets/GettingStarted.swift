import Cabinet
import Foundation

final class Episode: StoredObject {
    @Field var title = ""
    @Field var seconds: UInt32 = 0
    @One var podcast: Podcast?
}

final class Podcast: StoredObject {
    @Field var title = ""
    @Many(inverse: \Episode.podcast, onDelete: .cascade) var episodes: [Episode]
}

func addAnEpisode(in directory: URL) throws {
    let store = try Store(directory: directory, classes: [Podcast.self, Episode.self])
    let podcast: Podcast
    if let known = try store.objects(of: Podcast.self).first {
        podcast = known
    } else {
        podcast = Podcast()
        podcast.title = "Night Shift"
        store.insert(podcast)
    }
    let episode = Episode()
    episode.title = "Number \(podcast.episodes.count + 1)"
    podcast.episodes.append(episode)  // inserts the episode, and sets its podcast
    try store.save()
    try store.close()
}
