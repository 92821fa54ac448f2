import Cabinet

/// A song as the 2010 program wrote it: version 3, title and seconds.
final class OldSong: StoredObject {
    var title = ""
    var seconds: UInt32 = 0

    override class var storageName: String { "Song" }
    override class var version: UInt8 { 3 }

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeString(title)
        buffer.writeUInt32(seconds)
    }

    override func readContent(from buffer: DataBuffer) throws {
        title = try buffer.readString()
        seconds = try buffer.readUInt32()
    }
}
