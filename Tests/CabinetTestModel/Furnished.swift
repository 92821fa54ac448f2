import Cabinet

/// Does not begin empty, nor alone.
final class Furnished: StoredObject {
    private var storedTags: [String]
    private var storedFriend: Furnished?

    var tags: [String] {
        get {
            willRead()
            return storedTags
        }
        set {
            willChange()
            storedTags = newValue
        }
    }

    required init() {
        storedTags = []
        super.init()
        tags = ["new"]
    }

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeArray(storedTags)
        buffer.writeReference(storedFriend)
    }

    override func readContent(from buffer: DataBuffer) throws {
        storedTags = try buffer.readArray()
        storedFriend = try buffer.readReference()
    }
}
