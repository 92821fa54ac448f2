import CAllocationCount

/// Counts blocks of memory, where that can be done.
enum Allocations {
    static var canBeCounted: Bool { cabinet_count_allocations({ _ in }, nil) >= 0 }

    private final class Call {
        let body: () throws -> Void
        var error: (any Error)?
        init(_ body: @escaping () throws -> Void) { self.body = body }
    }

    /// How many blocks `body` asks for on this thread.
    static func count(_ body: @escaping () throws -> Void) throws -> Int {
        let call = Call(body)
        let blocks = withExtendedLifetime(call) {
            cabinet_count_allocations(
                { context in
                    guard let context else { return }
                    let call = Unmanaged<Call>.fromOpaque(context).takeUnretainedValue()
                    do { try call.body() } catch { call.error = error }
                }, Unmanaged.passUnretained(call).toOpaque())
        }
        if let error = call.error { throw error }
        return blocks
    }
}
