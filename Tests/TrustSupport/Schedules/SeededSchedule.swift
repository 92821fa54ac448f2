#if DEBUG || SCHEDULES
    import CLibrary
    import CabinetBackend
    import Dispatch

    /// A schedule of a few threads, of which one runs at a time: at points where others may come between, the
    /// seed decides who goes on.
    ///
    /// A thread that waits for another one says so. One that does so unsaid, as for a lock that a thread
    /// without the schedule holds, is passed over after a while. `Sendable`, because a lock guards its state.
    package final class SeededSchedule: Sendable {
        private final class Member: Sendable {
            /// Which of the threads it is, in the order in which they were asked for.
            let number: Int
            let wakes = DispatchSemaphore(value: 0)

            init(_ number: Int) { self.number = number }
        }

        private struct State {
            var random: SeededRandom
            /// Those that could go on.
            var ready: [Member] = []
            /// The one that runs; `nil`: all wait for something.
            var running: Member?
            var members: [UInt: Member] = [:]
            /// How many threads were started, and have not begun.
            var expected = 0
            var started = 0
            var passes = 0

            /// In the threads' order, so that the seed alone says which one goes on.
            mutating func add(_ member: Member) {
                let place = ready.firstIndex { $0.number > member.number } ?? ready.count
                ready.insert(member, at: place)
            }
        }

        private let state: Guarded<State>
        /// At one in so many points another thread may go on.
        private let rate: Int
        private let leftOut: GuardedStep?
        /// How long a thread may run without a point while others could: 200 ms.
        private static let patience = 0.2

        /// - Parameter leftOut: a step that the threads leave out.
        package init(seed: UInt64, leavingOut leftOut: GuardedStep? = nil) {
            var random = SeededRandom(seed: seed)
            rate = [1, 2, 4, 10][random.below(4)]
            state = Guarded(State(random: random))
            self.leftOut = leftOut
        }

        /// How many points were passed so far.
        package var passes: Int { state.withLock { $0.passes } }

        /// What the threads are given.
        package func makeSchedule() -> Schedule {
            Schedule(
                pass: { [self] point in pass(point) },
                leavesOut: { [self] in $0 == leftOut },
                block: { [self] isBlocked in isBlocked ? pause() : goOn() },
                expect: { [self] in expectThread() },
                join: { [self] number in
                    if let number { begin(number) } else { end() }
                })
        }

        /// A thread with the schedule is about to be started.
        package func expectThread() -> Int {
            state.withLock { state in
                state.expected += 1
                state.started += 1
                return state.started
            }
        }

        private static var thread: UInt { UInt(bitPattern: pthread_self().hashValue) }

        private func begin(_ number: Int) {
            let member = Member(number)
            state.withLock { state in
                state.members[Self.thread] = member
                state.expected -= 1
            }
            goOn()
        }

        private func end() {
            pause()
            state.withLock { _ = $0.members.removeValue(forKey: Self.thread) }
        }

        private func pass(_ point: SchedulePoint) {
            awaitStarted()
            let (member, goesOn) = state.withLock { state -> (Member?, Bool) in
                state.passes += 1
                guard let member = state.members[Self.thread] else { return (nil, true) }
                // It was passed over while it did not say that it waits.
                if state.running !== member {
                    state.add(member)
                    return (member, false)
                }
                let isAsleep = point == .sleep
                guard !state.ready.isEmpty, isAsleep || state.random.once(in: rate) else {
                    return (member, true)
                }
                let next = state.random.below(state.ready.count + (isAsleep ? 0 : 1))
                if next == state.ready.count { return (member, true) }
                let other = state.ready.remove(at: next)
                state.add(member)
                state.running = other
                other.wakes.signal()
                return (member, false)
            }
            if let member, !goesOn { awaitTurn(member) }
        }

        /// Threads that were started are among those to choose from.
        private func awaitStarted() {
            for _ in 0..<1_000 where state.withLock({ $0.expected > 0 }) { usleep(20) }
        }

        /// The calling thread does not run any more: another one may.
        private func pause() {
            state.withLock { state in
                guard state.running === state.members[Self.thread] else { return }
                state.running = nil
                Self.chooseNext(&state)
            }
        }

        private static func chooseNext(_ state: inout State) {
            guard !state.ready.isEmpty, state.expected == 0 else { return }
            let next = state.ready.remove(at: state.random.below(state.ready.count))
            state.running = next
            next.wakes.signal()
        }

        /// The calling thread could go on.
        private func goOn() {
            let member = state.withLock { state -> Member? in
                guard let member = state.members[Self.thread] else { return nil }
                state.add(member)
                if state.running == nil { Self.chooseNext(&state) }
                return member
            }
            if let member { awaitTurn(member) }
        }

        private func awaitTurn(_ member: Member) {
            var last = -1
            while member.wakes.wait(timeout: .now() + Self.patience) == .timedOut {
                last = state.withLock { state in
                    guard state.running !== member, state.passes == last else {
                        return state.passes
                    }
                    // What runs waits for something unsaid.
                    state.ready.removeAll { $0 === member }
                    state.running = member
                    member.wakes.signal()
                    return -1
                }
            }
        }
    }
#endif
