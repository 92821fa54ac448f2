import CLibrary
import CabinetBackend

/// Lets one writer write at a time. A batch whose chunks are in the log already keeps the turn
/// until it is committed or discarded.
///
/// `Sendable` because its own lock guards all of its state.
final class WriterTurn: @unchecked Sendable {
    private let lock = Lock()
    private let change = Condition()
    private var holder: ObjectIdentifier?
    /// The thread that staged the holder's latest chunk; `nil` while a call is under way, which
    /// will end by itself.
    private var stager: pthread_t?

    /// Waits for the turn and takes it for `owner`, or keeps it if `owner` has it already.
    /// - Throws: ``BackendError/batchInProgress`` if this thread itself keeps it with another
    ///   batch, so that waiting would never end.
    func take(for owner: AnyObject) throws(BackendError) {
        let identity = ObjectIdentifier(owner)
        try lock.withLock { () throws(BackendError) in
            while let holder, holder != identity {
                if let stager, pthread_equal(stager, pthread_self()) != 0 {
                    throw .batchInProgress
                }
                change.wait(holding: lock)
            }
            holder = identity
            stager = nil
        }
    }

    /// Keeps the turn beyond the call that took it.
    func keep() { lock.withLock { stager = pthread_self() } }

    /// Gives the turn back, if it is `owner`'s. Returns whether it was.
    @discardableResult
    func giveBack(_ owner: AnyObject) -> Bool {
        lock.withLock {
            guard holder == ObjectIdentifier(owner) else { return false }
            holder = nil
            stager = nil
            change.announce()
            return true
        }
    }

    func isHeld(by owner: AnyObject) -> Bool {
        lock.withLock { holder == ObjectIdentifier(owner) }
    }
}
