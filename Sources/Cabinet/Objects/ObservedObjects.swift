import Observation
import Synchronization

extension StoredObject: Observable {}

/// What of an object can be watched: a declared field, by where it lies, or one of these two.
struct WatchedPlace: Hashable, Sendable {
    let offset: Int

    /// All that an object reads by ``StoredObject/willRead()``: no field lies at its very front.
    static let content = WatchedPlace(offset: 0)
    /// What an object is to its store: changed, deleted.
    static let standing = WatchedPlace(offset: 1)
}

/// Which objects of a store are watched.
///
/// An object gets a registrar when it is read while somebody listens, and loses it with its life.
/// Nothing public says whether somebody listens; but who does takes down key paths in a set, and
/// asks them for their hash. So a registrar that is kept ready notes the read, with a key path
/// that hears the question, and only if it was asked it becomes the object's.
final class ObservedObjects {
    /// Hears whether a key path was asked for its hash. `Sendable`: who stops listening may ask
    /// from any thread, which then does no harm but a registrar too many.
    fileprivate final class Ear: Sendable {
        let hasHeard = Atomic<Bool>(false)

        func hears(_ body: () -> Void) -> Bool {
            hasHeard.store(false, ordering: .relaxed)
            body()
            return hasHeard.load(ordering: .relaxed)
        }
    }

    fileprivate struct HeardPlace: Hashable, Sendable {
        let place: WatchedPlace
        private let ear: Ear

        fileprivate init(_ place: WatchedPlace, _ ear: Ear) {
            self.place = place
            self.ear = ear
        }

        static func == (one: HeardPlace, other: HeardPlace) -> Bool { one.place == other.place }

        func hash(into hasher: inout Hasher) {
            ear.hasHeard.store(true, ordering: .relaxed)
            hasher.combine(place)
        }
    }

    private typealias Path = KeyPath<StoredObject, Void>

    /// One watched object, to be told of after something that may even have put it out of its store.
    struct Watcher {
        let object: StoredObject
        let home: StoredClass
        fileprivate let registrar: ObservationRegistrar
    }

    /// Whether the reads of all objects are noted.
    @exclusivity(unchecked) var isOn = false
    /// While set, nobody is told of anything.
    @exclusivity(unchecked) var isMuted = false

    // Unchecked: no access lasts while anybody is called.
    @exclusivity(unchecked) private var registrars: [ObjectIdentifier: ObservationRegistrar] = [:]
    @exclusivity(unchecked) private var ready = ObservationRegistrar()
    private let ear = Ear()
    /// By offset, because making a key path takes longer than all the rest.
    @exclusivity(unchecked) private var paths: [Path?] = []

    /// How many objects are watched, or were.
    var count: Int { registrars.count }

    /// Notes that `object` is read at `place`. `true` if somebody listens.
    func noteRead(of object: StoredObject, at place: WatchedPlace) -> Bool {
        let path = path(to: place)
        if let registrar = registrar(of: object) {
            return ear.hears { registrar.access(object, keyPath: path) }
        }
        let registrar = ready
        guard ear.hears({ registrar.access(object, keyPath: path) }) || !Self.isHeard else {
            return false
        }
        registrars[ObjectIdentifier(object)] = registrar
        object.state.formUnion(.observed)
        ready = ObservationRegistrar()
        return true
    }

    /// `object` is about to change at `place`.
    func tellChange(of object: StoredObject, at place: WatchedPlace) {
        guard !isMuted, let registrar = registrar(of: object) else { return }
        registrar.willSet(object, keyPath: path(to: place))
    }

    /// `object` has changed at `place`.
    func tellChanged(_ object: StoredObject, at place: WatchedPlace) {
        guard !isMuted, let registrar = registrar(of: object) else { return }
        registrar.didSet(object, keyPath: path(to: place))
    }

    /// Whoever watches `object`, to be told later.
    func watcher(of object: StoredObject) -> Watcher? {
        guard let home = object.home, let registrar = registrar(of: object) else { return nil }
        return Watcher(object: object, home: home, registrar: registrar)
    }

    /// The object of `watcher` has changed at `places`.
    func tell(_ watcher: Watcher, _ places: [WatchedPlace]) {
        if isMuted { return }
        for place in places {
            watcher.registrar.willSet(watcher.object, keyPath: path(to: place))
            watcher.registrar.didSet(watcher.object, keyPath: path(to: place))
        }
    }

    /// Nobody watches `object` any more.
    func forget(_ object: StoredObject) {
        object.state.subtract(.observed)
        let registrar = registrars.removeValue(forKey: ObjectIdentifier(object))
        // What it lets go of may end objects' lives, which come here in turn.
        withExtendedLifetime(registrar) {}
    }

    private func registrar(of object: StoredObject) -> ObservationRegistrar? {
        object.state.contains(.observed) ? registrars[ObjectIdentifier(object)] : nil
    }

    private func path(to place: WatchedPlace) -> Path {
        if place.offset < paths.count, let path = paths[place.offset] { return path }
        return makePath(to: place)
    }

    private func makePath(to place: WatchedPlace) -> Path {
        let heard = HeardPlace(place, ear)
        let path: Path = \StoredObject[watched: heard]
        while paths.count <= place.offset { paths.append(nil) }
        paths[place.offset] = path
        return path
    }

    /// Whether key paths are asked for their hashes at all. If they are not, every object that is
    /// read gets a registrar.
    private static let isHeard: Bool = {
        let ear = Ear()
        let registrar = ObservationRegistrar()
        let object = StoredObject()
        let place = HeardPlace(.content, ear)
        return ear.hears {
            withObservationTracking {
                registrar.access(object, keyPath: \StoredObject[watched: place])
            } onChange: {
            }
        }
    }()
}

extension StoredObject {
    /// Gives key paths to what can be watched.
    fileprivate subscript(watched place: ObservedObjects.HeardPlace) -> Void { () }
}
