import Cabinet
import Synchronization

/// A song with a title whose words or parts can be searched.
///
/// Which, is chosen once in a process, as for ``CatalogSong``.
final class TextSong: StoredObject {
    @Field var title = ""
    /// Its place in the order of insertion.
    @Field var number: UInt32 = 0

    static let tokenizer = Mutex<Tokenizer?>(nil)

    override class var textIndexes: [TextIndex] {
        tokenizer.withLock { $0 }.map { [.text(\TextSong.title, tokenizer: $0)] } ?? []
    }
}
