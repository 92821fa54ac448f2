import Cabinet

/// A song: a title and a number, as a user of the library writes it.
final class Song: StoredObject {
    private var storedTitle = ""
    private var storedNumber: UInt32 = 0

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

    var number: UInt32 {
        get {
            willRead()
            return storedNumber
        }
        set {
            willChange()
            storedNumber = newValue
        }
    }

    convenience init(title: String, number: UInt32) {
        self.init()
        storedTitle = title
        storedNumber = number
    }

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeString(storedTitle)
        buffer.writeUInt32(storedNumber)
    }

    override func readContent(from buffer: DataBuffer) throws {
        storedTitle = try buffer.readString()
        storedNumber = try buffer.readUInt32()
    }
}
