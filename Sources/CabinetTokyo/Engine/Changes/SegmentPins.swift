import CabinetBackend

/// The segments that walks over the log have still to read. A compaction leaves them where they
/// are, and the last walk that releases one removes it.
///
/// `Sendable`: its state is guarded.
final class SegmentPins: Sendable {
    private struct State {
        /// How many walks hold a segment.
        var holds: [UInt64: Int] = [:]
        /// The segments held that a snapshot has replaced.
        var replaced: Set<UInt64> = []
    }

    private let state = Guarded(State())

    func hold(_ segments: some Sequence<UInt64>) {
        state.withLock { state in
            for segment in segments { state.holds[segment, default: 0] += 1 }
        }
    }

    /// Gives up one hold of each segment. Returns those that are to be removed now.
    func release(_ segments: some Sequence<UInt64>) -> [UInt64] {
        state.withLock { state in
            var unused: [UInt64] = []
            for segment in segments {
                guard let holds = state.holds[segment] else { continue }
                state.holds[segment] = holds > 1 ? holds - 1 : nil
                if holds == 1, state.replaced.remove(segment) != nil { unused.append(segment) }
            }
            return unused
        }
    }

    /// Whether the segment goes with the last walk that holds it.
    func isReplaced(_ segment: UInt64) -> Bool { state.withLock { $0.replaced.contains(segment) } }

    /// Takes note that a snapshot has replaced the segment. `false`: no walk holds it, and the
    /// caller is to remove it.
    func keepsReplaced(_ segment: UInt64) -> Bool {
        state.withLock { state in
            guard state.holds[segment] != nil else { return false }
            state.replaced.insert(segment)
            return true
        }
    }
}
