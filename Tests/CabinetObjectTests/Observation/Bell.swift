import Cabinet
import CabinetMemory
import Observation
import Synchronization
import Testing

@testable import CabinetTestModel

/// Counts how often an observer was called.
final class Bell: Sendable {
    private let count = Atomic<Int>(0)
    var rings: Int { count.load(ordering: .relaxed) }
    func ring() { count.add(1, ordering: .relaxed) }

    /// Rings when something that `read` reads changes: once.
    func watch(_ read: () -> Void) {
        withObservationTracking(read) { self.ring() }
    }

    /// Whether `change` makes it ring, exactly once, for an observer that reads `read` just before.
    static func rings(_ read: @autoclosure () -> Any?, when change: () throws -> Void) rethrows
        -> Bool
    {
        let bell = Bell()
        bell.watch { _ = read() }
        try change()
        if bell.rings > 1 { Issue.record("told \(bell.rings) times") }
        return bell.rings > 0
    }

    /// A store whose objects can be observed.
    static func observedStore(on backend: MemoryBackend) throws -> Store {
        let store = try Store(
            backend: backend, classes: tunes + library + [Track.self, Song.self, Playlist.self])
        store.isObserved = true
        return store
    }
}
