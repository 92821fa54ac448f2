/// A condition, made ready for one class: whether an object meets it.
class Filter {
    /// Whether the object that `candidate` stands at meets the condition.
    /// - Throws: what the predicate or the closure throws, or why the record cannot be read.
    func accepts(_ candidate: Candidate) throws -> Bool { true }
}

/// A filter that a closure is.
final class ClosureFilter: Filter {
    private let body: (Candidate) throws -> Bool

    init(_ body: @escaping (Candidate) throws -> Bool) { self.body = body }

    override func accepts(_ candidate: Candidate) throws -> Bool { try body(candidate) }
}

/// Several filters, asked without counting references to them at each object.
class JoinedFilter: Filter {
    private final let parts: [Filter]
    private final let held: UnsafeMutableBufferPointer<Unmanaged<Filter>>

    init(_ parts: [Filter]) {
        self.parts = parts
        held = .allocate(capacity: parts.count)
        // `parts` keeps them.
        _ = held.initialize(from: parts.map(Unmanaged.passUnretained))
    }

    deinit { held.deallocate() }

    /// Whether the parts answer with `value`, each in turn, up to the last one.
    @inline(__always)
    fileprivate final func allAnswer(_ value: Bool, _ candidate: Candidate) throws -> Bool {
        for part in held {
            if try part._withUnsafeGuaranteedRef({ try $0.accepts(candidate) }) != value {
                return false
            }
        }
        return true
    }
}

/// Accepts what all of its parts accept, which it asks in their order.
final class AllFilter: JoinedFilter {
    override func accepts(_ candidate: Candidate) throws -> Bool {
        try allAnswer(true, candidate)
    }
}

/// Accepts what any of its parts accepts, which it asks in their order.
final class AnyFilter: JoinedFilter {
    override func accepts(_ candidate: Candidate) throws -> Bool {
        try !allAnswer(false, candidate)
    }
}

/// Accepts what its part does not.
final class NotFilter: Filter {
    private let part: Filter

    init(_ part: Filter) { self.part = part }

    override func accepts(_ candidate: Candidate) throws -> Bool { try !part.accepts(candidate) }
}

/// Accepts everything or nothing.
final class ConstantFilter: Filter {
    private let value: Bool

    init(_ value: Bool) { self.value = value }

    override func accepts(_ candidate: Candidate) throws -> Bool { value }
}
