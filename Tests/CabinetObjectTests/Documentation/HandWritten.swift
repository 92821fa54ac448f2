import Cabinet

final class Note: StoredObject {
    private var storedText = ""
    var text: String {
        get {
            willRead()
            return storedText
        }
        set {
            willChange()
            storedText = newValue
        }
    }

    override func writeContent(to buffer: DataBuffer) { buffer.writeString(storedText) }
    override func readContent(from buffer: DataBuffer) throws {
        storedText = try buffer.readString()
    }
}
