/// A condition, made ready for one class: whether an object meets it.
class Filter {
    /// Whether the object that `cursor` stands at meets the condition.
    /// - Throws: what the predicate or the closure throws, or why the record cannot be read.
    func accepts(_ cursor: RowCursor) throws -> Bool { true }
}

/// A filter that a closure is.
final class ClosureFilter: Filter {
    private let body: (RowCursor) throws -> Bool

    init(_ body: @escaping (RowCursor) throws -> Bool) { self.body = body }

    override func accepts(_ cursor: RowCursor) throws -> Bool { try body(cursor) }
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
    fileprivate final func allAnswer(_ value: Bool, _ cursor: RowCursor) throws -> Bool {
        for part in held {
            if try part._withUnsafeGuaranteedRef({ try $0.accepts(cursor) }) != value {
                return false
            }
        }
        return true
    }
}

/// Accepts what all of its parts accept, which it asks in their order.
final class AllFilter: JoinedFilter {
    override func accepts(_ cursor: RowCursor) throws -> Bool {
        try allAnswer(true, cursor)
    }
}

/// Accepts what any of its parts accepts, which it asks in their order.
final class AnyFilter: JoinedFilter {
    override func accepts(_ cursor: RowCursor) throws -> Bool {
        try !allAnswer(false, cursor)
    }
}

/// Accepts what its part does not.
final class NotFilter: Filter {
    private let part: Filter

    init(_ part: Filter) { self.part = part }

    override func accepts(_ cursor: RowCursor) throws -> Bool { try !part.accepts(cursor) }
}

/// Accepts everything or nothing.
final class ConstantFilter: Filter {
    private let value: Bool

    init(_ value: Bool) { self.value = value }

    override func accepts(_ cursor: RowCursor) throws -> Bool { value }
}
