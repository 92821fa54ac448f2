import Cabinet
import Foundation

final class Song: StoredObject {
    @Field var title = ""
    @Field var year: UInt16 = 0
}

/// Reads every record: only a search finds parts of texts by an index.
func songs(with part: String, in store: Store) throws -> [Song] {
    try store.fetch(Song.self, where: #Predicate { $0.title.contains(part) })
}
