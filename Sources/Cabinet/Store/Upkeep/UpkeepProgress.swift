import CabinetBackend
import Foundation

/// How far the work of the upkeep thread is, shown in any number of `Progress` values. Each of them cancels it.
///
/// `Sendable`, because a lock guards its list, and `Progress` guards itself.
final class UpkeepProgress: Sendable {
    let main = Progress(totalUnitCount: -1)
    private let others = Guarded<[Progress]>([])

    /// Shows it in `progress`, too.
    func show(in progress: Progress?) {
        guard let progress else { return }
        others.withLock { $0.append(progress) }
    }

    var isCancelled: Bool {
        if main.isCancelled { return true }
        guard others.withLock({ $0.contains { $0.isCancelled } }) else { return false }
        main.cancel()
        return true
    }

    /// So many records are to be looked at, besides those that were said before.
    func begin(_ units: Int) {
        // Foundation's `Progress` traps on a change to a total of 0.
        guard units > 0 else { return }
        main.totalUnitCount = max(main.totalUnitCount, 0) + Int64(units)
        show()
    }

    /// So many more records were looked at.
    func count(_ units: Int) {
        // Nothing was said of how much there is.
        guard main.totalUnitCount > 0 else { return }
        main.completedUnitCount = min(main.completedUnitCount + Int64(units), main.totalUnitCount)
        show()
    }

    /// Nothing is left to do.
    func end() {
        main.totalUnitCount = max(main.totalUnitCount, 1)
        main.completedUnitCount = main.totalUnitCount
        show()
    }

    private func show() {
        for progress in others.withLock({ $0 }) {
            progress.totalUnitCount = main.totalUnitCount
            progress.completedUnitCount = main.completedUnitCount
        }
    }
}
