import CabinetBackend
import CabinetTextSearch
import Foundation

/// What objects are sorted by: a property, and which way.
///
/// ```swift
/// let songs = try store.fetch(Song.self, sortedBy: [.ascending(\.title, .numeric)])
/// ```
///
/// `nil` is before every value, and NaN after every number; descending the other way round. Objects
/// that are equal by all orders of a query are in ascending order of their rows, whichever way it
/// sorts, those of several classes class by class. `Sendable`: a value.
public struct ObjectOrder<Object: StoredObject>: Sendable {
    let makeColumn: @Sendable () -> SortColumn
    let name: @Sendable (ClassFields) -> String
    let isDescending: Bool
    /// Which field of a class it sorts by, and how; `nil` where no index can tell.
    let fieldOrder: @Sendable (ClassFields) -> FieldOrder?
    /// How tokens of pages keep the property; `nil` if they cannot.
    let paged: @Sendable (ClassFields) -> PagedProperty?

    private init<Value>(
        _ keyPath: KeyPath<Object, Value> & Sendable, _ isDescending: Bool, suffix: String = "",
        collation: Collation = .unicode, compare: @escaping @Sendable (Value, Value) -> Int,
        _ makeColumn: @escaping @Sendable () -> SortColumn
    ) {
        self.makeColumn = makeColumn
        self.isDescending = isDescending
        paged = { fields in
            PagedProperty(keyPath, fields) { isDescending ? -compare($0, $1) : compare($0, $1) }
        }
        fieldOrder = { fields in
            fields.field(at: keyPath).map {
                FieldOrder(field: $0.index, collation: collation, isDescending: isDescending)
            }
        }
        name = { $0.name(of: keyPath) + suffix + (isDescending ? " descending" : "") }
    }

    init(
        name: @escaping @Sendable (ClassFields) -> String, isDescending: Bool,
        fieldOrder: @escaping @Sendable (ClassFields) -> FieldOrder?,
        paged: @escaping @Sendable (ClassFields) -> PagedProperty?,
        makeColumn: @escaping @Sendable () -> SortColumn
    ) {
        self.fieldOrder = fieldOrder
        self.paged = paged
        self.name = name
        self.isDescending = isDescending
        self.makeColumn = makeColumn
    }

    /// The lowest value first.
    public static func ascending<Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value> & Sendable
    ) -> ObjectOrder {
        ObjectOrder(
            keyPath, false, compare: { totalOrder($0, $1) },
            { .values(keyPath, isDescending: false) })
    }

    /// `nil` first, then the lowest value.
    public static func ascending<Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value?> & Sendable
    ) -> ObjectOrder {
        ObjectOrder(
            keyPath, false, compare: { totalOrder($0, $1) },
            { .optionals(keyPath, isDescending: false) })
    }

    /// The highest value first.
    public static func descending<Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value> & Sendable
    ) -> ObjectOrder {
        ObjectOrder(
            keyPath, true, compare: { totalOrder($0, $1) }, { .values(keyPath, isDescending: true) }
        )
    }

    /// The highest value first, `nil` last.
    public static func descending<Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value?> & Sendable
    ) -> ObjectOrder {
        ObjectOrder(
            keyPath, true, compare: { totalOrder($0, $1) },
            { .optionals(keyPath, isDescending: true) })
    }

    /// By a text in the order of `collation`. Only the first 1,019 bytes of a collation's key count.
    public static func ascending(
        _ keyPath: KeyPath<Object, String> & Sendable, _ collation: Collation
    ) -> ObjectOrder { collated(keyPath, collation, false) }

    /// By a text in the order of `collation`, `nil` first.
    public static func ascending(
        _ keyPath: KeyPath<Object, String?> & Sendable, _ collation: Collation
    ) -> ObjectOrder { collated(keyPath, collation, false) }

    /// By a text in the opposite order of `collation`.
    public static func descending(
        _ keyPath: KeyPath<Object, String> & Sendable, _ collation: Collation
    ) -> ObjectOrder { collated(keyPath, collation, true) }

    /// By a text in the opposite order of `collation`, `nil` last.
    public static func descending(
        _ keyPath: KeyPath<Object, String?> & Sendable, _ collation: Collation
    ) -> ObjectOrder { collated(keyPath, collation, true) }

    private static func collated<Value>(
        _ keyPath: KeyPath<Object, Value> & Sendable, _ collation: Collation, _ isDescending: Bool
    ) -> ObjectOrder {
        ObjectOrder(
            keyPath, isDescending, suffix: " by \(collation.name)", collation: collation,
            compare: { collation.order($0 as? String, $1 as? String) },
            { CollatedColumn(keyPath, collation, isDescending) })
    }

    /// As a descriptor of Foundation sorts. One that compares numbers, texts, dates and the like by `<`,
    /// optional or not, is as `ascending` or `descending` of the property. Others compare by their own
    /// comparators: then no index gives the order, and there are no pages.
    public init(_ descriptor: SortDescriptor<Object>) {
        if descriptor.stringComparator == nil, let keyPath = descriptor.keyPath,
            let known = Self.known(keyPath, isDescending: descriptor.order == .reverse)
        {
            self = known
            return
        }
        isDescending = descriptor.order == .reverse
        let suffix = descriptor.order == .reverse ? " descending" : ""
        name = { fields in
            (descriptor.keyPath.map { fields.name(of: $0) } ?? "a descriptor") + suffix
        }
        fieldOrder = { _ in nil }
        paged = { _ in nil }
        makeColumn = { DescriptorColumn.make(descriptor) }
    }
}

extension ObjectOrder {
    /// By the values of a property, optional or not, of a type that code knows; `nil` for other types.
    private static func known(
        _ keyPath: PartialKeyPath<Object>, isDescending: Bool
    ) -> ObjectOrder? {
        if let path = keyPath as? KeyPath<Object, String> {
            return isDescending ? .descending(sendable(path)) : .ascending(sendable(path))
        }
        if let path = keyPath as? KeyPath<Object, String?> {
            return isDescending ? .descending(sendable(path)) : .ascending(sendable(path))
        }
        if let path = keyPath as? KeyPath<Object, Decimal> {
            return isDescending ? .descending(sendable(path)) : .ascending(sendable(path))
        }
        if let path = keyPath as? KeyPath<Object, Decimal?> {
            return isDescending ? .descending(sendable(path)) : .ascending(sendable(path))
        }
        let type = Swift.type(of: keyPath).valueType
        let wrapped = (type as? any OptionalValue.Type)?.wrappedType
        let making = OrderMaking(
            keyPath: keyPath, isOptional: wrapped != nil, isDescending: isDescending)
        return withFixedType(wrapped ?? type, making).flatMap { $0 }
    }

    /// A descriptor is `Sendable`, and so is the key path that it was made of.
    private static func sendable<Value>(
        _ path: KeyPath<Object, Value>
    ) -> KeyPath<Object, Value> & Sendable {
        unsafeBitCast(path, to: (KeyPath<Object, Value> & Sendable).self)
    }

    /// Makes an order by code that knows the type of the values.
    private struct OrderMaking: FixedValueBody {
        let keyPath: PartialKeyPath<Object>
        let isOptional: Bool
        let isDescending: Bool

        func run<Value: FixedValue>(_ type: Value.Type) -> ObjectOrder? {
            if isOptional, let path = keyPath as? KeyPath<Object, Value?> {
                return order(sendable(path)) { totalOrder($0?.rank, $1?.rank) }
            }
            guard let path = keyPath as? KeyPath<Object, Value> else { return nil }
            return order(sendable(path)) { totalOrder($0.rank, $1.rank) }
        }

        private func order<Value>(
            _ path: KeyPath<Object, Value> & Sendable,
            _ compare: @escaping @Sendable (Value, Value) -> Int
        ) -> ObjectOrder {
            let isDescending = isDescending
            return ObjectOrder(path, isDescending, compare: compare) {
                // Of a type for which there is one.
                SortColumn.known(path, isDescending) ?? SortColumn()
            }
        }
    }
}

/// By which declared field something is sorted.
struct FieldOrder {
    /// Its place among the declared fields.
    let field: Int
    /// The order of texts.
    let collation: Collation
    let isDescending: Bool
}
