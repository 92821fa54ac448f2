import CabinetBackend
import Dispatch
import Foundation

/// Reports the progress of a tool's work to the caller, and says whether the work is to stop.
///
/// `Sendable`: the flag is guarded, and a reporter may be called from any thread.
final class Pace: Sendable {
    private let reporter: (any WorkReporter)?
    private let stopped = Guarded(false)

    private static let queue = DispatchQueue(
        label: "Cabinet.tools", qos: .utility, attributes: .concurrent)

    init(_ reporter: (any WorkReporter)? = nil) { self.reporter = reporter }

    /// Does `body` on a thread of the tools' own, for it may take long.
    /// - Throws: `CancellationError` when the task or the progress was cancelled, and what `body`
    ///   throws.
    static func run<Outcome: Sendable>(
        _ reporter: (any WorkReporter)?, _ body: @escaping @Sendable (Pace) throws -> Outcome
    ) async throws -> Outcome {
        let pace = Pace(reporter)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(
                        with: Result {
                            try pace.check()
                            let outcome = try body(pace)
                            pace.finish()
                            return outcome
                        })
                }
            }
        } onCancel: {
            pace.stopped.withLock { $0 = true }
        }
    }

    var isStopped: Bool {
        stopped.withLock { $0 } || reporter?.isCancelled ?? false
    }

    /// - Throws: `CancellationError` when the work is to stop.
    func check() throws {
        if isStopped { throw CancellationError() }
    }

    /// So many units are still to come: bytes, records, whatever the tool counts.
    func expect(_ units: UInt64) { reporter?.expect(units) }

    /// So many units are done.
    func advance(_ units: UInt64) { reporter?.advance(units) }

    private func finish() { reporter?.finish() }
}

/// Shows the state of long work in a `Progress`. `Sendable`, as that may be used from any thread.
package final class ProgressReporter: WorkReporter {
    private let progress: Progress

    /// `nil` for no progress.
    package init?(_ progress: Progress?) {
        guard let progress else { return nil }
        self.progress = progress
    }

    package var isCancelled: Bool { progress.isCancelled }

    package func expect(_ units: UInt64) { progress.totalUnitCount += Int64(clamping: units) }

    package func advance(_ units: UInt64) {
        progress.completedUnitCount = min(
            progress.completedUnitCount + Int64(clamping: units), progress.totalUnitCount)
    }

    package func finish() {
        if progress.totalUnitCount <= 0 { progress.totalUnitCount = 1 }
        progress.completedUnitCount = progress.totalUnitCount
    }
}
