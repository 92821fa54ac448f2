import Cabinet
import Foundation

@MainActor
func addOnAnotherThread(_ title: String, in url: URL) async throws -> String? {
    let container = try StoreContainer(directory: url, classes: [Recording.self, Mixtape.self])
    let shown = try container.makeStore()  // the main actor's
    let id = try await container.write { store in
        let tape = Mixtape()
        tape.title = title
        store.insert(tape)
        try store.save()  // gives the object its ID
        return tape.objectID
    }
    try shown.refresh()
    let found = try id.flatMap { try shown.object($0) }?.title
    try container.close()
    return found
}
