import CabinetBackend
import Dispatch
import Foundation
import Synchronization

/// Runs `body` on `count` threads at once and waits for all of them.
///
/// - Throws: the first error of any thread, or ``Unexpected`` when they are not done after
///   `seconds`: calls that wait for each other end a test, they do not hang it.
func inParallel(
    _ count: Int, within seconds: Double = 120, _ body: @escaping @Sendable (Int) throws -> Void
) throws {
    let group = DispatchGroup()
    let failure = Failure()
    for index in 0..<count {
        group.enter()
        let thread = Thread {
            do { try body(index) } catch { failure.keep(error) }
            group.leave()
        }
        thread.stackSize = 1 << 20
        thread.start()
    }
    guard group.wait(timeout: .now() + seconds) == .success else {
        throw Unexpected("\(count) threads were not done after \(seconds) seconds")
    }
    try failure.rethrow()
}

private final class Failure: Sendable {
    private let first = Guarded<(any Error)?>(nil)

    func keep(_ error: any Error) { first.withLock { if $0 == nil { $0 = error } } }

    func rethrow() throws {
        if let error = first.withLock({ $0 }) { throw error }
    }
}

/// A flag that one thread raises for the others.
final class Signal: Sendable {
    private let raised = Atomic(false)
    var isRaised: Bool { raised.load(ordering: .acquiring) }
    func raise() { raised.store(true, ordering: .releasing) }
}

/// How often other threads have done something: on a busy machine a thread may come late.
final class Rounds: Sendable {
    private let done = Atomic(0)
    private let isOver = Signal()

    func count() { done.add(1, ordering: .acquiringAndReleasing) }
    /// Nothing more is to be waited for.
    func end() { isOver.raise() }

    /// Whether it was done so often, or will not be.
    func hasReached(_ count: Int) -> Bool {
        done.load(ordering: .acquiring) >= count || isOver.isRaised
    }

    /// Waits until it was done so many times more.
    func waitForMore(_ count: Int) {
        let wanted = done.load(ordering: .acquiring) + count
        while !hasReached(wanted) { Self.pause() }
    }

    /// Waits a little, for another thread to do something.
    static func pause() { Thread.sleep(forTimeInterval: 0.000_1) }
}
