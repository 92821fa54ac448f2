#if DEBUG || SCHEDULES
    import CLibrary
#endif

/// Where threads over one backend meet: before or between steps that others may come between.
///
/// A test gives each of its threads a ``Schedule``, which may make it wait at such a point while others go
/// on. No thread holds a lock at a point; it may have the writer's turn. Compiled in only for debugging, and
/// with `SCHEDULES` defined: elsewhere nothing of it is left.
package enum SchedulePoint: Sendable {
    /// Before a look at what stores share, or a change of it.
    case hub
    /// Before the catalog is read, and while it is.
    case catalog
    /// Between the choice of what to read from, and the read.
    case read
    /// Before a look at what others have committed, and behind it.
    case basis
    /// Before a commit, while it has the turn, and before the store learns of it.
    case commit
    /// Between two steps of the thread that builds indexes.
    case building
    /// Instead of sleeping until another thread has come further.
    case sleep

    /// Lets other threads go on if the calling thread's schedule wants that. Returns whether it has one.
    @inlinable @inline(__always) @discardableResult
    package func pass() -> Bool {
        #if DEBUG || SCHEDULES
            guard let schedule = Schedule.current else { return false }
            schedule.pass(self)
            return true
        #else
            return false
        #endif
    }
}

/// A step that keeps stores from losing one another's changes. A test leaves one out, to see that its
/// schedules find what follows.
package enum GuardedStep: String, CaseIterable, Sendable {
    /// The engine compares the rows that a commit writes with those that others have written since its basis.
    case comparedRows
    /// Likewise keys.
    case comparedKeys
    /// A save requires that the entries of derived tables are unchanged.
    case unchangedEntries
    /// A commit of a store that was alone requires the last basis.
    case lastBasisAlone
    /// A commit that takes a class for empty requires the last basis.
    case lastBasisOfEmpty
    /// A commit that enters a class's references requires the last basis.
    case lastBasisOfReferrers
    /// What the catalog says is read again when the basis has moved.
    case catalogOfBasis
    /// A commit that takes a class for empty looks for commits that do not know its indexes.
    case unawareCommits
    /// A save says in the catalog which indexes it leaves behind.
    case leftBehind
    /// The builder waits for commits that do not know its index.
    case waitForUnawares
    /// Rows of a builder's chunk are unchanged.
    case unchangedRows
    /// A builder that has its reader looks at all entries of the class again.
    case readerOfBuilder
    /// A builder that catches up looks again at rows that were changed meanwhile.
    case changedWhileCatchingUp
    /// A commit applies what was registered meanwhile.
    case registrations
    /// A commit that shares a sync asks nothing of what those before it change.
    case groupDecides

    /// Whether a test wants the calling thread to leave it out.
    @inlinable @inline(__always)
    package var isLeftOut: Bool {
        #if DEBUG || SCHEDULES
            Schedule.current?.leavesOut(self) ?? false
        #else
            false
        #endif
    }
}

/// What a test does with the threads that have the schedule. `Sendable`: its functions are.
package final class Schedule: Sendable {
    package let pass: @Sendable (SchedulePoint) -> Void
    package let leavesOut: @Sendable (GuardedStep) -> Bool
    /// The calling thread is about to wait for another one, or, `false`, goes on.
    package let block: @Sendable (Bool) -> Void
    /// The calling thread is about to start another one. Returns its number.
    package let expect: @Sendable () -> Int
    /// The calling thread has begun, and has the number, or, `nil`, is about to end.
    package let join: @Sendable (Int?) -> Void

    package init(
        pass: @escaping @Sendable (SchedulePoint) -> Void,
        leavesOut: @escaping @Sendable (GuardedStep) -> Bool,
        block: @escaping @Sendable (Bool) -> Void, expect: @escaping @Sendable () -> Int,
        join: @escaping @Sendable (Int?) -> Void
    ) {
        (self.pass, self.leavesOut, self.block) = (pass, leavesOut, block)
        (self.expect, self.join) = (expect, join)
    }

    /// Calls `body`, which waits for another thread.
    @inlinable @inline(__always)
    package static func waiting<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        #if DEBUG || SCHEDULES
            let schedule = current
            schedule?.block(true)
            defer { schedule?.block(false) }
        #endif
        return try body()
    }

    /// What to give to a thread that the calling thread is about to start: see ``run(_:)``.
    @inlinable @inline(__always)
    package static func expectThread() -> Start {
        #if DEBUG || SCHEDULES
            return Start(current, current?.expect() ?? 0)
        #else
            return Start()
        #endif
    }

    /// The beginning of a thread. `Sendable`: a value.
    package struct Start: Sendable {
        #if DEBUG || SCHEDULES
            package let schedule: Schedule?
            package let number: Int

            @inlinable
            package init(_ schedule: Schedule?, _ number: Int) {
                (self.schedule, self.number) = (schedule, number)
            }
        #else
            @inlinable
            package init() {}
        #endif

        /// Calls `body` as the calling thread's work, by the schedule of the thread that has started it.
        @inlinable @inline(__always)
        package func run(_ body: () -> Void) {
            #if DEBUG || SCHEDULES
                guard let schedule else { return body() }
                schedule.run(number, body)
            #else
                body()
            #endif
        }
    }

    #if DEBUG || SCHEDULES
        /// Calls `body` on a thread that has the schedule for so long.
        package func run(_ number: Int, _ body: () -> Void) {
            pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
            join(number)
            body()
            join(nil)
            pthread_setspecific(Self.key, nil)
        }

        private static let key = {
            var key = pthread_key_t()
            pthread_key_create(&key, nil)
            return key
        }()

        /// The schedule of the calling thread, which holds it meanwhile.
        package static var current: Schedule? {
            pthread_getspecific(key).map {
                Unmanaged<Schedule>.fromOpaque($0).takeUnretainedValue()
            }
        }
    #endif
}
