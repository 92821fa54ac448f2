import Synchronization

/// A function of the scalars below a limit, each value computed when first asked for: a program
/// that opens a store asks for a few hundred of ten thousand.
///
/// `@unchecked Sendable`: only the cells change. They are atomic, and each thread computes the same
/// value of a cell, as the function depends on the scalar alone. The memory is never freed: tables
/// are static.
final class ScalarTable: @unchecked Sendable {
    private let end: UInt32
    /// The value plus 1; 0 where it was not asked for yet.
    private let cells: UnsafeMutablePointer<Atomic<UInt32>>
    private let value: @Sendable (UInt32) -> UInt32

    /// - Parameters:
    ///   - end: the limit.
    ///   - value: the function; below `UInt32.max`.
    init(end: UInt32, _ value: @escaping @Sendable (UInt32) -> UInt32) {
        self.end = end
        self.value = value
        cells = .allocate(capacity: Int(end))
        for index in 0..<Int(end) { (cells + index).initialize(to: Atomic(0)) }
    }

    /// The value for a scalar below the limit.
    @inline(__always)
    subscript(scalar: UInt32) -> UInt32 {
        precondition(scalar < end)
        // Relaxed: a cell is all that is read.
        let known = cells[Int(scalar)].load(ordering: .relaxed)
        return known != 0 ? known &- 1 : compute(scalar)
    }

    @inline(never)
    private func compute(_ scalar: UInt32) -> UInt32 {
        let made = value(scalar)
        cells[Int(scalar)].store(made &+ 1, ordering: .relaxed)
        return made
    }
}
