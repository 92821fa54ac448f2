#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A lock that one thread at a time holds.
///
/// The system's own rather than `Synchronization.Mutex`: the thread sanitizer understands it, so a
/// missing lock does not hide behind false alarms. `Sendable`, because that is its purpose.
final class Lock: Sendable {
    private nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(
        capacity: 1)

    init() {
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    @inline(__always)
    func withLock<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }
}
