import CabinetBackend
import CabinetTextSearch
import Foundation

/// A column of an index over a declared field, or over a property of a class written by hand, as the planner
/// sees it.
struct PlannedColumn {
    /// `nil` for a property that is no declared field.
    let field: ClassFields.Field?
    let collation: Collation?
    private let column: IndexColumn
    private let kind: Kind

    /// What is known of the values' order.
    private enum Kind {
        /// `==` and `<` are what bytes of keys are.
        case known
        /// As ``known``, with values that are not numbers.
        case float, date
        /// Lesser values have lesser bytes, and equal ones equal bytes, but for NaN: it equals itself and is
        /// before every number, but behind them in the order of keys.
        case decimal
        case text
        /// Lesser values have bytes that are not greater, and equal ones equal bytes.
        case other
        /// Equal values have equal bytes. The order may be another: enums often have one of their own.
        case raw
        /// The row of a target: equal values alone have equal bytes, and there is no order.
        case target
    }

    /// `nil` for a column of something else.
    init?(_ source: KeySource) {
        let isTarget = source.field?.targets != nil
        guard let subject = source.subject,
            isTarget || subject.valueType == source.column.valueType
        else {
            return nil
        }
        field = source.field
        column = source.column
        collation = source.column.collation
        var type = source.column.valueType
        if let optional = type as? any OptionalValue.Type { type = optional.wrappedType }
        kind = isTarget ? .target : Self.kind(of: type)
    }

    /// The column of an index of elements, over a declared field; `nil` for one of something else.
    init?(elementsOf source: KeySource) {
        guard let field = source.field else { return nil }
        self.field = field
        column = source.column
        collation = nil
        let type = source.column.valueType
        kind = Self.kind(of: (type as? any OptionalValue.Type)?.wrappedType ?? type)
    }

    private static func kind(of type: Any.Type) -> Kind {
        if type == String.self { return .text }
        if type == Double.self || type == Float.self { return .float }
        if type == Date.self { return .date }
        if type == Decimal.self { return .decimal }
        if type == UUID.self || type == Data.self || type is any FixedValue.Type { return .known }
        return type is any RawRepresentable.Type ? .raw : .other
    }

    /// Whether keys are equal exactly where values are.
    var isExactEqual: Bool {
        switch kind {
        case .known, .float, .date, .target: true
        case .text: isUnicode
        case .decimal, .other, .raw: false
        }
    }

    /// What one key of objects with equal ones says of their values.
    enum Grouping {
        /// All have one value, which no others have.
        case value
        /// As ``value``, but those that are not numbers equal nothing, and 0 may be −0.
        case number
        /// They may have one value: if the value of one of them has exactly that key, all have it, as
        /// values can be read from their keys.
        case valueOfOne
    }

    /// How objects with equal keys form groups of equal values; `nil` if they do not.
    var grouping: Grouping? {
        switch kind {
        case .known, .target: return .value
        case .float, .date: return .number
        case .text: return isUnicode ? .value : nil
        case .decimal, .other, .raw:
            let type = column.valueType
            let wrapped = (type as? any OptionalValue.Type)?.wrappedType ?? type
            return wrapped is any OrderedKeyValue.Type ? .valueOfOne : nil
        }
    }

    /// Whether keys are in the order of the values, and in no other.
    var isExactInOrder: Bool { isExactEqual }

    /// Whether keys are in that order, apart from its direction.
    func isIn(_ order: FieldOrder) -> Bool {
        guard field?.index == order.field else { return false }
        switch kind {
        case .known, .float, .date: return true
        case .text: return (collation ?? .unicode) == order.collation
        case .decimal, .other, .raw, .target: return false
        }
    }

    /// Whether texts are in the order of Swift's own `<`.
    private var isUnicode: Bool {
        guard let collation else { return true }
        if case .unicode = collation.method { return true }
        return false
    }

    /// Appends the part of a value of the field. `false` if it is none.
    func append(_ value: Any, _ key: inout OrderedKeyBuilder) -> Bool {
        guard kind == .target else { return column.append(value, &key) }
        guard let target = value as? TargetRow? else { return false }
        target.write(to: &key)
        return true
    }

    /// Whether the column can have a part of `value`.
    private func isValue(_ value: Any) -> Bool {
        var builder = OrderedKeyBuilder()
        return append(value, &builder)
    }

    /// Whether `value` equals nothing.
    func isNotANumber(_ value: Any) -> Bool {
        switch kind {
        case .float:
            if let value = value as? Double { return value.isNaN }
            if let value = value as? Float { return value.isNaN }
            return false
        case .date: return (value as? Date)?.timeIntervalSinceReferenceDate.isNaN ?? false
        default: return false
        }
    }

    /// Whether the column narrows by such a limit.
    func takes(_ limit: FieldLimit.Kind) -> Bool {
        switch limit {
        case .equal, .element: false
        case .intervalOrNil(let lower, let upper):
            kind != .other && takes(.interval(lower: lower, upper: upper))
        case .interval(let lower, let upper):
            kind != .raw && kind != .target && (kind != .text || isUnicode)
                && [lower, upper].allSatisfy { $0.map { isValue($0.value) } ?? true }
        case .otherThan(let values):
            // What has an equal key must be equal.
            isExactEqual && values.allSatisfy { isValue($0) }
        case .prefix(let text):
            kind == .text && collation?.mayDivideEqualTexts != true
                && PartRange(startingWith: text, collation: collation ?? .unicode) != nil
        }
    }

    /// The keys behind `prefix` of what ``takes(_:)``: ranges in their order, none of which overlap, and
    /// whether no others lie in them.
    func ranges(
        of limit: FieldLimit.Kind, behind prefix: OrderedKey
    ) -> (keys: [KeyRange], isExact: Bool) {
        switch limit {
        case .equal, .element: return ([], true)
        case .prefix(let text):
            let part = PartRange(of: prefix, startingWith: text, collation: collation ?? .unicode)
            return (part.map { [$0.keys] } ?? [], part?.isExact ?? true)
        case .interval(let lower, let upper):
            return intervals(lower, upper, behind: prefix)
        case .intervalOrNil(let lower, let upper):
            let none = KeyRange(prefix: prefix.bytes + [KeyTag.absent])
            let part = intervals(lower, upper, behind: prefix)
            return ([none] + part.keys, part.isExact && !prefix.isCut)
        case .otherThan(let values): return others(than: values, behind: prefix)
        }
    }

    private func others(
        than values: [Any], behind prefix: OrderedKey
    ) -> (keys: [KeyRange], isExact: Bool) {
        let all = KeyRange(prefix: prefix.bytes)
        var builder = OrderedKeyBuilder(prefix)
        let size = builder.size
        var excluded: [KeyRange] = []
        var isExact = !prefix.isCut
        for value in values where !isNotANumber(value) {
            builder.removeParts(after: size)
            _ = append(value, &builder)
            // Values that are not equal may have the same cut key.
            if builder.isCut {
                isExact = false
            } else {
                excluded.append(KeyRange(prefix: builder.key.bytes))
            }
        }
        excluded.sort { ($0.lower ?? []).lexicographicallyPrecedes($1.lower ?? []) }
        var left: [KeyRange] = []
        var lower = all.lower
        for range in excluded {
            left.append(KeyRange(from: lower, to: range.lower))
            guard let end = range.upper else { return (left, isExact) }
            lower = end
        }
        return (left + [KeyRange(from: lower, to: all.upper)], isExact)
    }

    /// The keys of the values from one bound to another.
    private func intervals(
        _ lower: FieldLimit.Bound?, _ upper: FieldLimit.Bound?, behind prefix: OrderedKey
    ) -> (keys: [KeyRange], isExact: Bool) {
        func isDecimalNaN(_ bound: FieldLimit.Bound?) -> Bool {
            kind == .decimal && (bound?.value as? Decimal)?.isNaN == true
        }
        var ranges: [PartRange] = []
        // Every number is above NaN, and none below it.
        let least = isDecimalNaN(lower) ? nil : lower
        if !isDecimalNaN(upper), let part = interval(least, upper, behind: prefix) {
            ranges.append(part)
        }
        if kind == .decimal, least == nil, ![lower, upper].contains(where: isNilBound) {
            ranges.append(PartRange(of: prefix, from: .including(Decimal.nan), to: nil))
        }
        return (ranges.map(\.keys), ranges.allSatisfy(\.isExact))
    }

    private func isNilBound(_ bound: FieldLimit.Bound?) -> Bool {
        bound.map { Self.isNil($0.value) } ?? false
    }

    private func interval(
        _ lower: FieldLimit.Bound?, _ upper: FieldLimit.Bound?, behind prefix: OrderedKey
    ) -> PartRange? {
        for case let bound? in [lower, upper]
        where isNotANumber(bound.value) || Self.isNil(bound.value) {
            return nil
        }
        var last = upper.map(bound)
        if last == nil {
            // NaN follows all numbers, but is greater than none.
            switch kind {
            case .float: last = (.including(()), { $0.append(Double.infinity) })
            case .date:
                last = (
                    .including(()), { $0.append(Date(timeIntervalSinceReferenceDate: .infinity)) }
                )
            default: break
            }
        }
        // Values of a type of one's own may begin as `nil` does.
        return PartRange(
            of: prefix, from: lower.map(bound), to: last, includesNil: kind == .other)
    }

    private func bound(_ bound: FieldLimit.Bound) -> PartRange.Bound<Void> {
        let append = column.append
        return (
            bound.isIncluded ? .including(()) : .excluding(()), { _ = append(bound.value, &$0) }
        )
    }

    /// Whether `value` is an optional without a value.
    static func isNil(_ value: Any) -> Bool {
        (value as? any OptionalValue).map { $0.wrappedValue == nil } ?? false
    }
}

extension ClassIndex {
    /// Its columns over declared fields as the planner sees them, `nil` for each other. Made once.
    var plannedColumns: [PlannedColumn?] { knownColumns.ofFields }

    /// Likewise, with those over properties of a class written by hand: what conditions are limited by.
    var limitedColumns: [PlannedColumn?] { knownColumns.all }

    private var knownColumns: PlannedColumns {
        if let planned { return unsafeDowncast(planned, to: PlannedColumns.self) }
        let made = PlannedColumns(sources.map { PlannedColumn($0) })
        planned = made
        return made
    }
}

private final class PlannedColumns {
    let all: [PlannedColumn?]
    let ofFields: [PlannedColumn?]

    init(_ columns: [PlannedColumn?]) {
        all = columns
        ofFields = columns.map { $0?.field == nil ? nil : $0 }
    }
}
