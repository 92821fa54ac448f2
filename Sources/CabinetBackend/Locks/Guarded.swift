/// A value that one thread at a time can reach.
///
/// Does what `Synchronization.Mutex` does, by a ``Lock``. `@unchecked Sendable`, because the value
/// is private and touched in ``withLock(_:)`` alone, while the lock is held.
package final class Guarded<Value: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    @exclusivity(unchecked) private var value: Value

    package init(_ value: Value) { self.value = value }

    /// Calls `body` with the value while no other thread has it.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { () throws(Failure) in try body(&value) }
    }
}
