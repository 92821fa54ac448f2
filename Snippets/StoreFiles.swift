import Cabinet
import Foundation

final class Chapter: StoredObject {
    @Field var title = ""
    @Field var text = ""
}

/// Opens a document, edits it and saves it.
func addChapter(_ title: String, to url: URL) throws {
    let file = try StoreFile(url, classes: [Chapter.self])
    if let edits = file.unsavedEdits {
        // A program that crashed has left them, and they are in the store again. Ask the person.
        print("Edits up to commit \(edits.lastCommit) were not saved. They are back.")
    }
    let chapter = Chapter()
    chapter.title = title
    file.store.insert(chapter)
    file.metadata.title = "A book"
    file.metadata.keywords = try file.store.objects(of: Chapter.self).map(\.title)
    try file.save()
    try file.close()
}

/// What a list of documents shows: read in a millisecond, without opening the store.
func title(of url: URL) throws -> String { try StoreFile.metadata(of: url).title }
