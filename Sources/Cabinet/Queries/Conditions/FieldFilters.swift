import CabinetBackend
import Foundation

/// Compares a field of a fixed value with a constant.
final class FixedFilter<Value: FixedValue>: Filter {
    private let field: Int
    private let offset: Int
    private let relation: FieldRelation
    private let operand: Value

    init(_ field: ClassFields.Field, _ relation: FieldRelation, _ operand: Value) {
        self.field = field.index
        offset = field.offset
        self.relation = relation
        self.operand = operand
    }

    override func accepts(_ candidate: Candidate) throws -> Bool {
        let value = try candidate.read(field, offset: offset, size: Value.recordSize) {
            $0.assumingMemoryBound(to: Value.self).pointee
        } inRecord: {
            Value.load($0.baseAddress.unsafelyUnwrapped)
        }
        return relation.holds(value, operand)
    }
}

/// Compares a field of an optional fixed value with a constant. No value equals no value, and is
/// in no order.
final class OptionalFixedFilter<Value: FixedValue>: Filter {
    private let field: Int
    private let offset: Int
    private let relation: FieldRelation
    private let operand: Value?

    init(_ field: ClassFields.Field, _ relation: FieldRelation, _ operand: Value?) {
        self.field = field.index
        offset = field.offset
        self.relation = relation
        self.operand = operand
    }

    override func accepts(_ candidate: Candidate) throws -> Bool {
        let value = try candidate.read(field, offset: offset, size: 1) {
            $0.assumingMemoryBound(to: Value?.self).pointee
        } inRecord: { bytes -> Value? in
            guard bytes[0] != 0, bytes.count > Value.recordSize else { return nil }
            return Value.load(bytes.baseAddress.unsafelyUnwrapped + 1)
        }
        guard let value, let operand else {
            let isSame = value == nil && operand == nil
            return relation == .equal ? isSame : relation == .notEqual && !isSame
        }
        return relation.holds(value, operand)
    }
}

/// Compares a field of a text, or of an optional one, with a constant.
final class TextFilter: Filter {
    private let field: Int
    private let offset: Int
    private let relation: FieldRelation
    private let isOptional: Bool
    /// `nil` for no text.
    private let operand: ComparedText?

    init(_ field: ClassFields.Field, _ relation: FieldRelation, _ operand: String?, optional: Bool)
    {
        self.field = field.index
        offset = field.offset
        self.relation = relation
        self.operand = operand.map(ComparedText.init)
        isOptional = optional
    }

    override func accepts(_ candidate: Candidate) throws -> Bool {
        try candidate.read(field, offset: offset, size: isOptional ? 1 : 4) {
            if isOptional {
                return accepts($0.assumingMemoryBound(to: String?.self).pointee)
            }
            return accepts($0.assumingMemoryBound(to: String.self).pointee)
        } inRecord: { bytes in
            guard isOptional else { return accepts(RecordText.bytes(at: bytes)) }
            return accepts(
                bytes[0] == 0
                    ? nil : RecordText.bytes(at: UnsafeRawBufferPointer(rebasing: bytes[1...])))
        }
    }

    private func accepts(_ text: String?) -> Bool {
        guard let text, let operand else { return acceptsNone(text == nil) }
        return switch relation {
        case .equal: text == operand.text
        case .notEqual: text != operand.text
        case .less: text < operand.text
        case .lessOrEqual: text <= operand.text
        case .greater: text > operand.text
        case .greaterOrEqual: text >= operand.text
        }
    }

    @inline(__always)
    private func accepts(_ bytes: UnsafeRawBufferPointer?) -> Bool {
        guard let bytes, let operand else { return acceptsNone(bytes == nil) }
        return switch relation {
        case .equal: operand.isEqual(bytes)
        case .notEqual: !operand.isEqual(bytes)
        case .less: operand.order(of: bytes) < 0
        case .lessOrEqual: operand.order(of: bytes) <= 0
        case .greater: operand.order(of: bytes) > 0
        case .greaterOrEqual: operand.order(of: bytes) >= 0
        }
    }

    /// What becomes of a field without a text, or of a comparison with none.
    private func acceptsNone(_ hasNoText: Bool) -> Bool {
        let isSame = hasNoText && operand == nil
        return relation == .equal ? isSame : relation == .notEqual && !isSame
    }
}
