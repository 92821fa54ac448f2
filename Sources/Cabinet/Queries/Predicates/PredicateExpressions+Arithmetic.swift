import Foundation

// Where Swift traps at an operation of integers, the query throws. Other numbers have a result for every
// operation, and Foundation's own expression is evaluated.

/// An operation of two values of one type.
enum ArithmeticOperation: String {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
}

/// An operation of integers of one type, which throws where Swift's own traps.
struct CheckedOperation<Value> {
    let run: (Value, Value) throws -> Value

    /// `nil` for values that are no integers.
    static func of(_ operation: ArithmeticOperation) -> CheckedOperation<Value>? {
        (Value.self as? any FixedWidthInteger.Type)?.checked(operation) as? CheckedOperation<Value>
    }
}

extension FixedWidthInteger {
    fileprivate static func checked(_ operation: ArithmeticOperation) -> Any {
        CheckedOperation<Self> { try $0.result(of: operation, with: $1) }
    }

    /// - Throws: ``QueryError/overflow(operation:)``, ``QueryError/divisionByZero(operation:)``
    private func result(
        of operation: ArithmeticOperation, with other: Self
    ) throws(QueryError) -> Self {
        let (result, overflows) =
            switch operation {
            case .add: addingReportingOverflow(other)
            case .subtract: subtractingReportingOverflow(other)
            case .multiply: multipliedReportingOverflow(by: other)
            case .divide: dividedReportingOverflow(by: other)
            case .remainder: remainderReportingOverflow(dividingBy: other)
            }
        guard overflows else { return result }
        let text = "\(self) \(operation.rawValue) \(other)"
        let isDivision = operation == .divide || operation == .remainder
        throw isDivision && other == 0
            ? QueryError.divisionByZero(operation: text) : QueryError.overflow(operation: text)
    }

    fileprivate var isLeast: Bool { self == .min }
}

extension PredicateExpressions.Arithmetic: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        compiler.combine(compiler.compile(lhs), compiler.compile(rhs), body)
    }

    /// What makes the result of two values.
    var body: (Output, Output) throws -> Output {
        let op = op
        let operation: ArithmeticOperation? =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: nil
            }
        if let checked = operation.flatMap({ CheckedOperation<Output>.of($0) }) {
            return checked.run
        }
        return {
            try PredicateExpressions.Arithmetic(
                lhs: PredicateExpressions.Value($0), rhs: PredicateExpressions.Value($1), op: op
            ).evaluate(PredicateBindings())
        }
    }
}

extension PredicateExpressions.IntDivision: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        CheckedOperation<Output>.of(.divide).map {
            compiler.combine(compiler.compile(lhs), compiler.compile(rhs), $0.run)
        }
    }
}

extension PredicateExpressions.IntRemainder: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        CheckedOperation<Output>.of(.remainder).map {
            compiler.combine(compiler.compile(lhs), compiler.compile(rhs), $0.run)
        }
    }
}

extension PredicateExpressions.UnaryMinus: CompiledExpression {
    func compile<Object: StoredObject>(by compiler: PredicateCompiler<Object>) -> Any? {
        let inner = compiler.compile(wrapped)
        // The least integer has no opposite: an error where it is evaluated.
        if let constant = inner.constant,
            !((constant as? any FixedWidthInteger)?.isLeast ?? false)
        {
            return Compiled<Output>(constant: -constant)
        }
        let checked = CheckedOperation<Output>.of(.subtract)
        return Compiled<Output>(needsObject: inner.needsObject) {
            let value = try inner.evaluate($0)
            return try checked?.run(0, value) ?? -value
        }
    }
}
