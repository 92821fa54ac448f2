import Cabinet
import Synchronization

/// A song with a title and a code in random order, and two attributes of ten values each.
///
/// Which indexes it has is chosen once in a process, so that one class stands for the program
/// before and after an index was added.
final class CatalogSong: StoredObject {
    @Field var title = ""
    @Field var code: UInt32 = 0
    @Field var artist: UInt32 = 0
    @Field var genre: UInt32 = 0
    /// Its place in the order of insertion.
    @Field var number: UInt32 = 0

    /// The indexes of a program.
    enum Indexing {
        case none, title, code, titleAndCode, groups
        /// Codes in groups of artists.
        case arranged

        var indexes: [Index] {
            switch self {
            case .none, .arranged: []
            case .title: [.ordered(\CatalogSong.title)]
            case .code: [.ordered(\CatalogSong.code)]
            case .titleAndCode: [.ordered(\CatalogSong.title), .ordered(\CatalogSong.code)]
            case .groups: [.ordered(\CatalogSong.artist), .ordered(\CatalogSong.genre)]
            }
        }
    }

    static let indexing = Mutex(Indexing.none)

    override class var indexes: [Index] { indexing.withLock { $0 }.indexes }

    override class var arrangements: [Arrangement] {
        guard case .arranged = indexing.withLock({ $0 }) else { return [] }
        return [
            .arranged(\CatalogSong.code, groupedBy: \CatalogSong.artist, named: "byArtist")
        ]
    }
}
