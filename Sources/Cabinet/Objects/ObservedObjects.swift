import Observation
import Synchronization

extension StoredObject: Observable {}

/// What of an object can be observed: a declared field, by where it lies, or one of these three.
struct ObservedProperty: Hashable, Sendable {
    let offset: Int

    /// All that an object reads by ``StoredObject/willRead()``: no field lies at its very front.
    static let content = ObservedProperty(offset: 0)
    /// What an object is to its store: changed, deleted.
    static let standing = ObservedProperty(offset: 1)
    /// Whether it is deleted, for readers of a relationship that passes over deleted objects.
    static let existence = ObservedProperty(offset: 2)
}

/// Which objects of a store are observed.
///
/// An object gets a registrar when it is read while reads are being tracked, and loses it when it
/// is freed. Observation has no public test for tracking; but a tracker puts key paths into a set,
/// which hashes them. So a spare registrar notes the read with a key path that detects hashing, and
/// becomes the object's only if the key path was hashed.
final class ObservedObjects {
    /// Detects whether a key path was hashed. `Sendable`: a tracker that ends may hash key paths on
    /// any thread; the worst outcome is a registrar too many.
    fileprivate final class HashProbe: Sendable {
        let wasHashed = Atomic<Bool>(false)

        func detects(_ body: () -> Void) -> Bool {
            wasHashed.store(false, ordering: .relaxed)
            body()
            return wasHashed.load(ordering: .relaxed)
        }
    }

    fileprivate struct ProbedProperty: Hashable, Sendable {
        let property: ObservedProperty
        private let probe: HashProbe

        fileprivate init(_ property: ObservedProperty, _ probe: HashProbe) {
            self.property = property
            self.probe = probe
        }

        static func == (one: ProbedProperty, other: ProbedProperty) -> Bool {
            one.property == other.property
        }

        func hash(into hasher: inout Hasher) {
            probe.wasHashed.store(true, ordering: .relaxed)
            hasher.combine(property)
        }
    }

    private typealias Path = KeyPath<StoredObject, Void>

    /// An observed object, noted before it may leave its store: its observers are called later.
    struct ObserverNotice {
        let object: StoredObject
        let storedClass: StoredClass
        fileprivate let registrar: ObservationRegistrar
    }

    /// Whether the reads of all objects are noted.
    @exclusivity(unchecked) var isOn = false
    @exclusivity(unchecked) var isMuted = false

    // Unchecked: no access lasts during a call of other code.
    @exclusivity(unchecked) private var registrars: [ObjectIdentifier: ObservationRegistrar] = [:]
    @exclusivity(unchecked) private var ready = ObservationRegistrar()
    private let probe = HashProbe()
    /// By offset, because making a key path takes longer than all the rest.
    @exclusivity(unchecked) private var paths: [Path?] = []

    /// How many objects are observed, or were.
    var count: Int { registrars.count }

    /// Notes that `object` is read at `property`. `true` if the read is tracked.
    func noteRead(of object: StoredObject, at property: ObservedProperty) -> Bool {
        let path = path(to: property)
        if let registrar = registrar(of: object) {
            return probe.detects { registrar.access(object, keyPath: path) }
        }
        let registrar = ready
        guard probe.detects({ registrar.access(object, keyPath: path) }) || !Self.isHashed else {
            return false
        }
        registrars[ObjectIdentifier(object)] = registrar
        object.state.formUnion(.observed)
        ready = ObservationRegistrar()
        return true
    }

    func tellChange(of object: StoredObject, at property: ObservedProperty) {
        guard !isMuted, let registrar = registrar(of: object) else { return }
        registrar.willSet(object, keyPath: path(to: property))
    }

    func tellChanged(_ object: StoredObject, at property: ObservedProperty) {
        guard !isMuted, let registrar = registrar(of: object) else { return }
        registrar.didSet(object, keyPath: path(to: property))
    }

    /// The observers of `object`, to be called later; `nil` if it has none.
    func notice(of object: StoredObject) -> ObserverNotice? {
        guard let storedClass = object.storedClass, let registrar = registrar(of: object) else {
            return nil
        }
        return ObserverNotice(object: object, storedClass: storedClass, registrar: registrar)
    }

    func tell(_ notice: ObserverNotice, _ properties: [ObservedProperty]) {
        if isMuted { return }
        for property in properties {
            notice.registrar.willSet(notice.object, keyPath: path(to: property))
            notice.registrar.didSet(notice.object, keyPath: path(to: property))
        }
    }

    func forget(_ object: StoredObject) {
        object.state.subtract(.observed)
        let registrar = registrars.removeValue(forKey: ObjectIdentifier(object))
        // Releasing the registrar may free objects, and freeing an observed one calls this again.
        withExtendedLifetime(registrar) {}
    }

    private func registrar(of object: StoredObject) -> ObservationRegistrar? {
        object.state.contains(.observed) ? registrars[ObjectIdentifier(object)] : nil
    }

    private func path(to property: ObservedProperty) -> Path {
        if property.offset < paths.count, let path = paths[property.offset] { return path }
        return makePath(to: property)
    }

    private func makePath(to property: ObservedProperty) -> Path {
        let probed = ProbedProperty(property, probe)
        let path: Path = \StoredObject[observed: probed]
        while paths.count <= property.offset { paths.append(nil) }
        paths[property.offset] = path
        return path
    }

    /// Whether a tracker hashes key paths. If not, every object that is read gets a registrar.
    private static let isHashed: Bool = {
        let probe = HashProbe()
        let registrar = ObservationRegistrar()
        let object = StoredObject()
        let property = ProbedProperty(.content, probe)
        return probe.detects {
            withObservationTracking {
                registrar.access(object, keyPath: \StoredObject[observed: property])
            } onChange: {
            }
        }
    }()
}

extension StoredObject {
    /// Gives key paths to what can be observed.
    fileprivate subscript(observed property: ObservedObjects.ProbedProperty) -> Void { () }
}
