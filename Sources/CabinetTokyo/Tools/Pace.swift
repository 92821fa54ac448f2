import CabinetBackend
import Dispatch
import Foundation

/// Tells the caller of a tool how far its work has come, and the work whether it is to stop.
///
/// `Sendable`: the flag is guarded, and a `Progress` may be used from any thread.
final class Pace: Sendable {
    private let progress: Progress?
    private let stopped = Guarded(false)

    private static let queue = DispatchQueue(
        label: "Cabinet.tools", qos: .utility, attributes: .concurrent)

    init(_ progress: Progress? = nil) { self.progress = progress }

    /// Does `body` on a thread of the tools' own, for it may take long.
    /// - Throws: `CancellationError` when the task or the progress was cancelled, and what `body`
    ///   throws.
    static func run<Outcome: Sendable>(
        _ progress: Progress?, _ body: @escaping @Sendable (Pace) throws -> Outcome
    ) async throws -> Outcome {
        let pace = Pace(progress)
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
        stopped.withLock { $0 } || progress?.isCancelled ?? false
    }

    /// - Throws: `CancellationError` when the work is to stop.
    func check() throws {
        if isStopped { throw CancellationError() }
    }

    /// So many units are still to come: bytes, records, whatever the tool counts.
    func expect(_ units: UInt64) {
        progress?.totalUnitCount += Int64(clamping: units)
    }

    /// So many units are done.
    func advance(_ units: UInt64) {
        guard let progress else { return }
        progress.completedUnitCount = min(
            progress.completedUnitCount + Int64(clamping: units), progress.totalUnitCount)
    }

    private func finish() {
        guard let progress else { return }
        if progress.totalUnitCount <= 0 { progress.totalUnitCount = 1 }
        progress.completedUnitCount = progress.totalUnitCount
    }
}
