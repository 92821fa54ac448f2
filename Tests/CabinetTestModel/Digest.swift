import Cabinet

/// Writes what it finds in another object.
final class Digest: StoredObject {
    var list: Playlist? { willSet { willChange() } }

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeReference(list)
        buffer.writeInt(list?.songs.count ?? 0)
    }

    override func readContent(from buffer: DataBuffer) throws {
        list = try buffer.readReference()
        _ = try buffer.readInt()
    }
}
