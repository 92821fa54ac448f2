import Cabinet
import CabinetMemory
import Foundation
import Testing

// A module whose declarations are the main actor's unless they say otherwise, as those of programs
// with windows are.

final class Window: StoredObject {
    @Field var title = ""
    @Many(inverse: \Pane.window, onDelete: .cascade) var panes: [Pane]

    convenience init(_ title: String) {
        self.init()
        self.title = title
    }
}

final class Pane: StoredObject {
    @Field var width = 80
    @One var window: Window?
}

/// With an `id` of its own, and rules.
final class Tab: StoredObject {
    @Field var id = UUID()
    @Field var title = ""

    override func validate() throws {
        if title.isEmpty { throw Untitled() }
    }

    struct Untitled: Error {}
}

/// Written by hand.
final class Palette: StoredObject {
    private var storedColors: [String] = []
    var colors: [String] {
        get {
            willRead()
            return storedColors
        }
        set {
            willChange()
            storedColors = newValue
        }
    }
    override class var version: UInt8 { 2 }
    override func writeContent(to buffer: DataBuffer) { buffer.writeArray(storedColors) }
    override func readContent(from buffer: DataBuffer) throws {
        storedColors = try buffer.readArray()
    }
}

struct MainActorTests {
    @Test func classesNeedNoMarkOfTheirOwn() async throws {
        let store = try Store(inMemory: [Window.self, Pane.self, Palette.self])
        let (window, palette) = (Window("Main"), Palette())
        for object in [window, palette] as [StoredObject] { store.insert(object) }
        window.panes.append(Pane())
        palette.colors = ["red"]
        try store.save()
        #expect(window.panes.first?.window === window)
        #expect(try await store.check().isSound)
        #expect(try store.objects([window].compactMap(\.objectID)) == [window])
        try store.delete(window)
        #expect(try store.count(of: Pane.self) == 0)
    }

    @Test func identityAndValidationNeedNoMarkEither() async throws {
        let store = try Store(inMemory: [Tab.self])
        let tab = Tab()
        store.insert(tab)
        #expect(throws: StoreError.self) { try store.save() }
        tab.title = "First"
        try store.save()
        let id = try #require(tab.objectID)
        // Another isolation domain may keep the ID, and not the object.
        let sent = await Task.detached { id }.value
        #expect(try store.object(sent) === tab)
        #expect(Set([tab, tab]).count == 1)
        let own: UUID = tab.id
        #expect(own == tab.id)
    }

    @Test func migrationsRunOnTheMainActorAndLetOthersIn() async throws {
        let backend = MemoryBackend()
        let first = try Store(backend: backend, classes: [Window.self, Pane.self])
        first.insert(Window("a"))
        try first.save()
        let store = try Store(
            backend: backend, classes: [Window.self, Pane.self],
            migrations: ["b", "c", "d"].map { name in
                Migration(name) { store, _ in
                    MainActor.assertIsolated()
                    for window in try store.objects(of: Window.self) { window.title += name }
                }
            })
        let other = Task {
            // Comes in between two of them; what it changes is saved with the next.
            store.insert(Window(try #require(try store.objects(of: Window.self).first).title + "-"))
        }
        try await store.migrate()
        try await other.value
        try store.save()
        let again = try Store(backend: backend, classes: [Window.self, Pane.self])
        let titles = try again.objects(of: Window.self).map(\.title)
        #expect(titles.first == "abcd")
        #expect(titles.count == 2)
    }
}

/// A store in an actor of the program's own.
actor Librarian {
    private let store: Store

    init(_ backend: any Backend) throws {
        store = try Store(
            backend: backend, classes: [Tab.self],
            migrations: [
                Migration("titles") { store, _ in
                    for tab in try store.objects(of: Tab.self) { tab.title += "!" }
                }
            ])
    }

    func migratedTitles() async throws -> [String] {
        try await store.migrate()
        return try store.objects(of: Tab.self).map(\.title)
    }
}

struct LibrarianTests {
    @Test func migrationsRunInAnyActor() async throws {
        let backend = MemoryBackend()
        let store = try Store(backend: backend, classes: [Tab.self])
        let tab = Tab()
        tab.title = "a"
        store.insert(tab)
        try store.save()
        #expect(try await Librarian(backend).migratedTitles() == ["a!"])
    }
}
