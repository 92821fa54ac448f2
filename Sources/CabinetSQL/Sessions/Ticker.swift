import CabinetBackend
import Dispatch

/// Does what is due from time to time for a store, on a thread of its own, until it is freed.
///
/// `Sendable`: a lock guards the timer, which any thread may use.
package final class Ticker: Sendable {
    private let timer: Guarded<Timer>
    package let queue = DispatchQueue(label: "cabinet.sql.ticker", qos: .utility)

    private struct Timer: @unchecked Sendable {
        /// Dispatch guards its sources itself; one thread at a time sets this one.
        let source: any DispatchSourceTimer
        var isQuick = false
        /// How long it is from one look to the next.
        var pause = Duration.zero
        /// When the store was tidied last.
        var tidied = Clock.monotonic()
    }

    /// Does nothing until it is started.
    init() { timer = Guarded(Timer(source: DispatchSource.makeTimerSource(queue: queue))) }

    func start(_ core: SQLCore) {
        schedule(core.options.beat)
        timer.withLock { timer in
            timer.source.setEventHandler { [weak self, weak core] in
                guard let self, let core else { return }
                self.tick(core)
            }
            timer.source.activate()
        }
    }

    deinit {
        timer.withLock { timer in
            // One that was never started must not be freed.
            timer.source.activate()
            timer.source.cancel()
        }
    }

    private func schedule(_ interval: Duration) {
        let nanoseconds = Int(
            clamping: interval.components.seconds * 1_000_000_000
                + interval.components.attoseconds / 1_000_000_000)
        timer.withLock { timer in
            timer.source.schedule(
                deadline: .now() + .nanoseconds(nanoseconds), repeating: .nanoseconds(nanoseconds),
                leeway: .nanoseconds(nanoseconds / 4))
        }
    }

    /// A subscriber wants to hear of others' commits soon.
    func hurry(_ core: SQLCore) {
        let isFirst = timer.withLock { timer in
            defer { timer.isQuick = true }
            return !timer.isQuick
        }
        guard isFirst else { return }
        pause(core.options.look)
        queue.async { [weak core] in core.map { $0.route.follow($0) } }
    }

    /// Looks again and again, so far apart.
    private func pause(_ pause: Duration) {
        timer.withLock { $0.pause = pause }
        schedule(pause)
    }

    /// Looks soon again after a commit; else each time a little later, up to some limit.
    private func adapt(to core: SQLCore, hasChanged: Bool) {
        let now = timer.withLock { $0.pause }
        let shortest = core.route.pause(core.options.look)
        let longest = max(shortest, core.options.longestLook)
        let wanted = hasChanged ? shortest : min(max(now * 1.25, shortest), longest)
        if wanted != now { pause(wanted) }
    }

    /// Called on the queue.
    func tick(_ core: SQLCore) {
        let isQuick = timer.withLock { $0.isQuick }
        if isQuick {
            if core.subscribers.areThere {
                core.route.follow(core)
                // A failure shows where the store is used.
                let before = core.lastKnown
                let last = try? core.refresh()
                adapt(to: core, hasChanged: last.map { $0 != before } ?? false)
            } else {
                timer.withLock { $0.isQuick = false }
                core.route.unfollow()
                schedule(core.options.beat)
            }
        }
        let now = Clock.monotonic()
        let isDue = timer.withLock { timer in
            guard now - timer.tidied >= core.options.beat * 0.75 || !isQuick else { return false }
            timer.tidied = now
            return true
        }
        if isDue { core.tidy() }
    }
}
