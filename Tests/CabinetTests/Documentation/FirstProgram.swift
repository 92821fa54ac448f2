import Cabinet
import Foundation

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

func keepANote(in directory: URL) throws {
    let store = try Store(directory: directory, classes: [Note.self])
    let note = Note()
    note.text = "Milk, bread, a new needle for the turntable"
    store.insert(note)
    try store.save()
    for note in try store.objects(of: Note.self) { print(note.rowID, note.text) }
    try store.close()
}
