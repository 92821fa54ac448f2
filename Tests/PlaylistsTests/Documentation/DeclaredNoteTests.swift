import Cabinet
import CabinetMemory
import Foundation
import Testing

/// The class of the article *Written by hand* that declares its fields.
struct DeclaredNoteTests {
    enum Past {
        final class Note: StoredObject {
            var text = ""
            override func writeContent(to buffer: DataBuffer) { buffer.writeString(text) }
            override func readContent(from buffer: DataBuffer) throws {
                text = try buffer.readString()
            }
        }
    }

    @Test func itReadsWhatItWroteByHand() throws {
        let backend = MemoryBackend()
        let past = try Store(backend: backend, classes: [Past.Note.self])
        let old = Past.Note()
        old.text = "Milk"
        past.insert(old)
        past.insert(Past.Note())
        try past.save()
        let store = try Store(backend: backend, classes: [Note.self])
        let note = try #require(try store.object(Note.self, rowID: 2))
        #expect(note.text == "Milk" && note.written == nil)
        note.written = Date(timeIntervalSinceReferenceDate: 0)
        try store.save()
        let again = try Store(backend: backend, classes: [Past.Note.self])
        #expect(throws: StoreError.newerVersion(class: "Note", row: 2, found: 2, known: 1)) {
            try again.object(Past.Note.self, rowID: 2)
        }
        #expect(try again.object(Past.Note.self, rowID: 3) != nil)
    }
}
