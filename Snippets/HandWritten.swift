import Cabinet
import Foundation

final class Song: StoredObject {
    private var storedTitle = ""
    private var storedSeconds: UInt32 = 0

    var title: String {
        get {
            willRead()
            return storedTitle
        }
        set {
            willChange()
            storedTitle = newValue
        }
    }
    var seconds: UInt32 {
        get {
            willRead()
            return storedSeconds
        }
        set {
            willChange()
            storedSeconds = newValue
        }
    }

    override class var version: UInt8 { 2 }  // version 1 had no seconds

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeString(storedTitle)
        buffer.writeUInt32(storedSeconds)
    }

    override func readContent(from buffer: DataBuffer) throws {
        storedTitle = try buffer.readString()
        storedSeconds = buffer.versionOfData < 2 ? 0 : try buffer.readUInt32()
    }
}
