import CLibrary

/// Frees objects that hold one another one after the other.
///
/// Swift frees what an object holds within its own `deinit`, so a chain would take stack for each
/// link. An object that is freed hands what nothing else holds to its thread's queue, which the
/// outermost `deinit` on that thread empties.
final class ReleaseQueue {
    @exclusivity(unchecked) private var objects: [StoredObject] = []
    @exclusivity(unchecked) private var lists: [[StoredObject]] = []
    @exclusivity(unchecked) private var isDraining = false

    /// More capacity than this is freed when the queue is empty.
    private static let keptCapacity = 1 << 12

    /// Takes over the last reference to `object`.
    func append(_ object: StoredObject) { objects.append(object) }

    /// Takes over the last reference to the memory of `list`.
    func append(_ list: [StoredObject]) { lists.append(list) }

    /// Releases everything, also what is added, unless a call further out is doing so.
    func drain() {
        if isDraining { return }
        isDraining = true
        while true {
            // Each is freed as soon as it is taken out, and may add to the queue then.
            if objects.popLast() != nil { continue }
            if lists.popLast() == nil { break }
        }
        isDraining = false
        if objects.capacity > Self.keptCapacity { objects = [] }
        if lists.capacity > Self.keptCapacity { lists = [] }
    }

    // MARK: One for each thread

    /// The queue of this thread; `nil` without room for it: objects are then freed recursively.
    static var current: ReleaseQueue? {
        guard let key else { return nil }
        if let known = pthread_getspecific(key) {
            return Unmanaged<ReleaseQueue>.fromOpaque(known).takeUnretainedValue()
        }
        let new = Unmanaged.passRetained(ReleaseQueue())
        guard pthread_setspecific(key, new.toOpaque()) == 0 else {
            new.release()
            return nil
        }
        return new.takeUnretainedValue()
    }

    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, { ReleaseQueue.release($0) }) == 0 ? key : nil
    }()

    // The parameter is an optional on some systems.
    private static func release(_ queue: UnsafeMutableRawPointer?) {
        if let queue { Unmanaged<ReleaseQueue>.fromOpaque(queue).release() }
    }
}
