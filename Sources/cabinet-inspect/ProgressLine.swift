import CabinetBackend
import Foundation

/// A line of a terminal that shows the progress of work. `Sendable`: what is shown is guarded.
final class ProgressLine: Sendable {
    private enum State: Equatable {
        case shows(percent: Int)
        case hasEnded
    }

    private let label: String
    private let write: @Sendable (String) -> Void
    private let state = Guarded(State.shows(percent: -1))

    init(_ label: String, write: @escaping @Sendable (String) -> Void) {
        self.label = label
        self.write = write
    }

    /// Shows how much of the work is done, from 0 to 1. Writes only when the percentage changes.
    func show(_ fraction: Double) {
        let part = fraction.isFinite ? min(max(fraction, 0), 1) : 0
        let percent = Int(part * 100)
        state.withLock { state in
            guard state != .hasEnded, state != .shows(percent: percent) else { return }
            state = .shows(percent: percent)
            write("\r\u{1B}[K\(label)  \(percent) %")
        }
    }

    /// Takes the line away.
    func end() {
        state.withLock { state in
            guard state != .hasEnded else { return }
            state = .hasEnded
            write("\r\u{1B}[K")
        }
    }
}

extension Program {
    /// Does `body`, and shows its progress if standard error is a terminal.
    func following<Outcome: Sendable>(
        _ label: String, _ body: (Progress) async throws -> Outcome
    ) async rethrows -> Outcome {
        let progress = Progress(totalUnitCount: 0)
        guard let show else { return try await body(progress) }
        let line = ProgressLine(label, write: show)
        line.show(0)
        let watch = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(100))
                line.show(progress.fractionCompleted)
            }
        }
        defer {
            watch.cancel()
            line.end()
        }
        return try await body(progress)
    }
}
