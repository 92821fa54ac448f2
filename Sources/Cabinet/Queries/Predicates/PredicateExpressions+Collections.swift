import Foundation

// Foundation's own expression is evaluated, on the values of its parts: so it means the same.

extension Condition {
    /// What `filter` asks of declared fields, or of the object.
    fileprivate static func fields(
        _ text: String, _ filter: Filter, _ limit: FieldLimit? = nil, needsObject: Bool = false
    ) -> Condition {
        .expression(
            Expression(text: text, needsObject: needsObject, filter: filter, limit: limit))
    }
}

/// The bindings of an expression without variables.
private var noBindings: PredicateBindings { PredicateBindings() }

extension PredicateCompiler {
    /// An expression of two parts, evaluated by `body` on their values.
    func combine<One, Other, Result>(
        _ one: Compiled<One>, _ other: Compiled<Other>,
        _ body: @escaping (One, Other) throws -> Result
    ) -> Compiled<Result> {
        Compiled<Result>(needsObject: one.needsObject || other.needsObject) {
            let value = try one.evaluate($0)
            return try body(value, try other.evaluate($0))
        }
    }
}

/// More constants than that make no ranges of an index.
private let mostConstants = 1000

extension PredicateExpressions.SequenceContains: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        let (sequence, element) = (compiler.compile(sequence), compiler.compile(element))
        let combined = compiler.combine(sequence, element) { $0.contains($1) }
        if let field = sequence.field, let value = element.constant {
            return Compiled(
                .fields(
                    "\(field.name) contains \(FieldTest.text(of: value))",
                    ClosureFilter(combined.evaluate),
                    FieldLimit(field: field, kind: .element(value), isWhole: true)))
        }
        guard let constants = sequence.constant, let subject = element.subject,
            !(constants is any BoundedRange)
        else { return combined }
        let values = Array(constants.prefix(mostConstants + 1))
        guard values.count <= mostConstants else { return combined }
        return Compiled(
            .fields(
                "\(subject.name) is one of \(values.count) values",
                ClosureFilter(combined.evaluate),
                FieldLimit(subject: subject, kind: .equal(values), isWhole: true),
                needsObject: element.field == nil))
    }
}

extension PredicateExpressions.SequenceStartsWith: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        let (base, prefix) = (compiler.compile(base), compiler.compile(prefix))
        if let field = base.field, let prefix = prefix.constant as? String {
            let search = TextSearch(prefix)
            if let filter = FieldFilters.text(
                field, bytes: search.begins, text: { $0.starts(with: prefix) })
            {
                return Compiled(
                    .fields(
                        "\(field.name) starts with \(prefix.debugDescription)", filter,
                        FieldLimit(field: field, kind: .prefix(prefix), isWhole: false)))
            }
        }
        let combined = compiler.combine(base, prefix) { $0.starts(with: $1) }
        guard let property = base.property, let prefix = prefix.constant as? String else {
            return combined
        }
        return Compiled(
            .fields(
                "\(property.name) starts with \(prefix.debugDescription)",
                ClosureFilter(combined.evaluate),
                FieldLimit(subject: property, kind: .prefix(prefix), isWhole: false),
                needsObject: true))
    }
}

extension PredicateExpressions.CollectionContainsCollection: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        let (base, other) = (compiler.compile(base), compiler.compile(other))
        if let field = base.field, let part = other.constant as? String {
            let search = TextSearch(part)
            if let filter = FieldFilters.text(
                field, bytes: search.isIn,
                text: {
                    try PredicateExpressions.CollectionContainsCollection(
                        base: PredicateExpressions.Value($0),
                        other: PredicateExpressions.Value(part)
                    ).evaluate(noBindings)
                })
            {
                return Compiled(.fields("\(field.name) contains \(part.debugDescription)", filter))
            }
        }
        return compiler.combine(base, other) {
            try PredicateExpressions.CollectionContainsCollection(
                base: PredicateExpressions.Value($0), other: PredicateExpressions.Value($1)
            ).evaluate(noBindings)
        }
    }
}

extension RangeExpression {
    /// Whether no end is a date that is no number, which Foundation has before and after all others.
    fileprivate var hasOrderedEnds: Bool {
        guard Bound.self == Date.self, let range = self as? any BoundedRange else { return true }
        return [range.lowerEnd, range.upperEnd].allSatisfy {
            ($0?.value as? Date).map { $0 == $0 } ?? true
        }
    }
}

extension PredicateExpressions.RangeExpressionContains: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        let (range, element) = (compiler.compile(range), compiler.compile(element))
        let combined = compiler.combine(range, element) {
            $0.contains($1) && $0.hasOrderedEnds && $1 == $1
        }
        guard let subject = element.subject else { return combined }
        var limit = range.interval
        if let constant = range.constant as? any BoundedRange {
            limit = .interval(lower: constant.lowerEnd, upper: constant.upperEnd)
        }
        guard let limit else { return combined }
        return Compiled(
            .fields(
                "\(subject.name) in \(FieldLimit.text(of: limit))",
                ClosureFilter(combined.evaluate),
                FieldLimit(subject: subject, kind: limit, isWhole: true),
                needsObject: element.field == nil))
    }
}

extension PredicateExpressions.Range: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        compiler.interval(lower, upper, isClosed: false) {
            try PredicateExpressions.Range(
                lower: PredicateExpressions.Value($0), upper: PredicateExpressions.Value($1)
            ).evaluate(noBindings)
        }
    }
}

extension PredicateExpressions.ClosedRange: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        compiler.interval(lower, upper, isClosed: true) {
            try PredicateExpressions.ClosedRange(
                lower: PredicateExpressions.Value($0), upper: PredicateExpressions.Value($1)
            ).evaluate(noBindings)
        }
    }
}

extension PredicateCompiler {
    /// A range, which limits a field if its bounds are constants.
    fileprivate func interval<Lower: PredicateExpression, Upper: PredicateExpression, Result>(
        _ lower: Lower, _ upper: Upper, isClosed: Bool,
        _ make: @escaping (Lower.Output, Lower.Output) throws -> Result
    ) -> Compiled<Result> where Lower.Output == Upper.Output, Lower.Output: Comparable {
        let (lower, upper) = (compile(lower), compile(upper))
        var combined = combine(lower, upper, make)
        // Others are errors, which evaluation throws.
        if let first = lower.constant, let last = upper.constant, first <= last {
            combined.interval = .interval(
                lower: .init(value: first, isIncluded: true),
                upper: .init(value: last, isIncluded: isClosed))
        }
        return combined
    }
}
