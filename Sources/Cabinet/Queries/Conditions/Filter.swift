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

/// Accepts what all of its parts accept, which it asks in their order.
final class AllFilter: Filter {
    private let parts: [Filter]

    init(_ parts: [Filter]) { self.parts = parts }

    override func accepts(_ candidate: Candidate) throws -> Bool {
        for part in parts where try !part.accepts(candidate) { return false }
        return true
    }
}

/// Accepts what any of its parts accepts, which it asks in their order.
final class AnyFilter: Filter {
    private let parts: [Filter]

    init(_ parts: [Filter]) { self.parts = parts }

    override func accepts(_ candidate: Candidate) throws -> Bool {
        for part in parts where try part.accepts(candidate) { return true }
        return false
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
