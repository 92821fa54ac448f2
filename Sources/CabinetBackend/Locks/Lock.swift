import CLibrary

/// A lock that one thread at a time holds; its holder cannot take it again.
///
/// The system's own rather than `Synchronization.Mutex`: the thread sanitizer sees it being taken,
/// so that a lock that is missing does not hide among false alarms. And it guards what the
/// compiler does not see it guard: state behind C pointers. `Sendable`, as that is its purpose:
/// what it points to never moves, and only the system's own calls touch it.
package final class Lock: Sendable {
    @usableFromInline
    nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    package init() {
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Calls `body` while no other thread holds the lock. Inlined, because every read of a
    /// record takes this way.
    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }
}

/// Lets holders of a ``Lock`` wait for a change that another holder makes.
///
/// `Sendable` for the reason that ``Lock`` is.
package final class Condition: Sendable {
    private nonisolated(unsafe) let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(
        capacity: 1)

    package init() {
        condition.initialize(to: pthread_cond_t())
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
    }

    /// Releases `lock`, which this thread must hold, until another thread announces a change,
    /// and then takes it again. It may also return without a reason: callers check again.
    package func wait(holding lock: Lock) { pthread_cond_wait(condition, lock.mutex) }

    /// Wakes all waiting threads.
    package func announce() { pthread_cond_broadcast(condition) }
}
