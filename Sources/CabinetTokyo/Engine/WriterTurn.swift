import CabinetBackend

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Whose turn it is to write: one at a time, and a batch whose chunks are in the log already keeps
/// its turn until it is committed or discarded.
///
/// `Sendable` because its own lock guards all of its state.
final class WriterTurn: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let change = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var holder: ObjectIdentifier?
    /// The thread that staged the holder's latest chunk; `nil` while a call is under way, which
    /// will end by itself.
    private var stager: pthread_t?

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(change, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(change)
        mutex.deallocate()
        change.deallocate()
    }

    /// Waits for the turn and takes it for `owner`, or goes on with the one it has.
    /// - Throws: ``BackendError/batchInProgress`` if this thread itself keeps it with another
    ///   batch, so that waiting would never end.
    func take(for owner: AnyObject) throws(BackendError) {
        let identity = ObjectIdentifier(owner)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while let holder, holder != identity {
            if let stager, pthread_equal(stager, pthread_self()) != 0 { throw .batchInProgress }
            pthread_cond_wait(change, mutex)
        }
        holder = identity
        stager = nil
    }

    /// Keeps the turn beyond the call that took it.
    func keep() {
        pthread_mutex_lock(mutex)
        stager = pthread_self()
        pthread_mutex_unlock(mutex)
    }

    /// Gives the turn back, if it is `owner`'s. Returns whether it was.
    @discardableResult
    func giveBack(_ owner: AnyObject) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard holder == ObjectIdentifier(owner) else { return false }
        holder = nil
        stager = nil
        pthread_cond_broadcast(change)
        return true
    }

    func isHeld(by owner: AnyObject) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return holder == ObjectIdentifier(owner)
    }
}
