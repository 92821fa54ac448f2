import CabinetBackend
import Foundation

/// Filters that compare fields with constants.
///
/// They are closures, as the compiler makes a closure for each type of values, but not the methods
/// of a generic class.
enum FieldFilters {
    /// Compares a field of a fixed value.
    @inline(__always)
    static func fixed<Value: FixedValue>(
        _ field: ClassFields.Field, _ relation: FieldRelation, _ operand: Value
    ) -> Filter {
        let (index, offset) = (field.index, field.offset)
        @inline(__always)
        func make(_ holds: @escaping (Value, Value) -> Bool) -> Filter {
            ClosureFilter { cursor in
                let value = try cursor.read(index, offset: offset, size: Value.recordSize) {
                    $0.assumingMemoryBound(to: Value.self).pointee
                } inRecord: { bytes, _ in
                    Value.load(bytes)
                }
                return holds(value, operand)
            }
        }
        return switch relation {
        case .equal: make { $0 == $1 }
        case .notEqual: make { $0 != $1 }
        case .less: make { Value.isLess($0, $1) }
        case .lessOrEqual: make { Value.isLess($0, $1) || $0 == $1 }
        case .greater: make { Value.isLess($1, $0) }
        case .greaterOrEqual: make { Value.isLess($1, $0) || $0 == $1 }
        }
    }

    /// Compares a field of an optional fixed value. No value equals no value, and is in no order.
    @inline(__always)
    static func optional<Value: FixedValue>(
        _ field: ClassFields.Field, _ relation: FieldRelation, _ operand: Value?
    ) -> Filter {
        let (index, offset) = (field.index, field.offset)
        return ClosureFilter { cursor in
            let value = try cursor.read(index, offset: offset, size: 1) {
                $0.assumingMemoryBound(to: Value?.self).pointee
            } inRecord: { bytes, count -> Value? in
                guard bytes.load(as: UInt8.self) != 0, count > Value.recordSize else { return nil }
                return Value.load(bytes + 1)
            }
            guard let value, let operand else {
                let isSame = value == nil && operand == nil
                return relation == .equal ? isSame : relation == .notEqual && !isSame
            }
            return relation.holds(value, operand)
        }
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

    override func accepts(_ cursor: RowCursor) throws -> Bool {
        try cursor.read(field, offset: offset, size: isOptional ? 1 : 4) {
            if isOptional {
                return accepts($0.assumingMemoryBound(to: String?.self).pointee)
            }
            return accepts($0.assumingMemoryBound(to: String.self).pointee)
        } inRecord: { bytes, count in
            guard isOptional else { return accepts(RecordText.bytes(at: bytes, count)) }
            let isThere = bytes.load(as: UInt8.self) != 0
            return accepts(isThere ? RecordText.bytes(at: bytes + 1, count - 1) : nil)
        }
    }

    private func accepts(_ text: String?) -> Bool {
        guard let text, let operand else { return acceptsNone(text == nil) }
        return switch relation {
        case .equal: text == operand.text
        case .notEqual: text != operand.text
        case .less: textOrder(text, operand.text) < 0
        case .lessOrEqual: textOrder(text, operand.text) <= 0
        case .greater: textOrder(text, operand.text) > 0
        case .greaterOrEqual: textOrder(text, operand.text) >= 0
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
