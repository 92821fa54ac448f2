import Cabinet

/// A class that has come through three versions, as the programs of three years knew it.
class NoteOfYear1: StoredObject {
    fileprivate(set) final var storedTitle = ""
    /// The version that wrote what was read; 0 while nothing was.
    fileprivate(set) final var versionRead: UInt8 = 0

    final var title: String {
        get {
            willRead()
            return storedTitle
        }
        set {
            willChange()
            storedTitle = newValue
        }
    }

    override class var storageName: String { "Note" }
    override class var version: UInt8 { 1 }

    override func writeContent(to buffer: DataBuffer) { buffer.writeString(storedTitle) }

    override func readContent(from buffer: DataBuffer) throws {
        versionRead = buffer.versionOfData
        storedTitle = try buffer.readString()
    }
}

/// Has a body as well, "empty" where there was none.
class NoteOfYear2: NoteOfYear1 {
    fileprivate(set) final var storedBody = ""

    final var body: String {
        get {
            willRead()
            return storedBody
        }
        set {
            willChange()
            storedBody = newValue
        }
    }

    override class var version: UInt8 { 2 }

    override func writeContent(to buffer: DataBuffer) {
        super.writeContent(to: buffer)
        buffer.writeString(storedBody)
    }

    override func readContent(from buffer: DataBuffer) throws {
        try super.readContent(from: buffer)
        storedBody = buffer.versionOfData < 2 ? "empty" : try buffer.readString()
    }
}

/// Was renamed, and refuses a title that says so.
final class Memo: NoteOfYear2 {
    struct Refusal: Error {}

    override class var storageName: String { "Memo" }
    override class var formerStorageNames: [String] { ["Jotting", "Note"] }
    override class var version: UInt8 { 3 }

    override func readContent(from buffer: DataBuffer) throws {
        try super.readContent(from: buffer)
        if storedTitle == "refuse" { throw Refusal() }
    }
}
