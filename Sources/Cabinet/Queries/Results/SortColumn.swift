import Foundation

/// One value of each match of a query, in the order in which they were met.
class MatchColumn {
    /// The next values are those of objects of another class.
    func turn(to fields: ClassFields) {}

    /// Adds the value of the object that `cursor` stands at.
    func append(_ cursor: RowCursor) throws {}

    /// Takes the last value back.
    func removeLast() {}

    /// About `count` values are going to be added.
    func reserve(_ count: Int) {}

    /// Keeps only the values at `indices`, in their order.
    func keep(_ indices: [Int]) {}

    /// Which fields of a class it reads; `nil` if it may read others than declared ones.
    func fieldsRead(_ fields: ClassFields) -> FieldsRead? { nil }
}

/// A column that matches are sorted by.
class SortColumn: MatchColumn {
    /// Below 0 if the match at `one` comes before that at `other`, 0 if they are equal here.
    func order(_ one: Int, _ other: Int) -> Int { 0 }

    /// For each match a number that is not greater than that of any match behind it; `nil` for
    /// nothing that helps.
    func prefixes() -> [UInt64]? { nil }
}

/// Values of a key path.
final class ValueColumn<Object: StoredObject, Value>: MatchColumn {
    private let keyPath: KeyPath<Object, Value>
    private(set) var values: [Value] = []
    private var read: (RowCursor) throws -> Value

    init(_ keyPath: KeyPath<Object, Value>) {
        self.keyPath = keyPath
        read = { unsafeDowncast(try $0.object(), to: Object.self)[keyPath: keyPath] }
    }

    override func turn(to fields: ClassFields) { read = ValueSource(keyPath, fields).read }
    override func append(_ cursor: RowCursor) throws { values.append(try read(cursor)) }
    override func removeLast() { values.removeLast() }
    override func keep(_ indices: [Int]) { values = indices.map { values[$0] } }

    override func fieldsRead(_ fields: ClassFields) -> FieldsRead? {
        .exactly([keyPath], fields)
    }
}

/// Values that `compare` orders.
class ComparedColumn<Value>: SortColumn {
    private(set) final var values: [Value] = []
    private final let source: (ClassFields) -> (RowCursor) throws -> Value
    private final let compare: (Value, Value) -> Int
    private final let sign: Int
    private final var read: ((RowCursor) throws -> Value)?

    /// - Parameters:
    ///   - source: makes what reads the values of a class.
    ///   - compare: below 0 if the first value is before the second one, 0 if they are equal.
    init(
        _ source: @escaping (ClassFields) -> (RowCursor) throws -> Value, isDescending: Bool,
        compare: @escaping (Value, Value) -> Int
    ) {
        self.source = source
        self.compare = compare
        sign = isDescending ? -1 : 1
    }

    override final func turn(to fields: ClassFields) { read = source(fields) }
    override final func append(_ cursor: RowCursor) throws {
        if let read { values.append(try read(cursor)) }
    }
    override final func removeLast() { values.removeLast() }
    override final func keep(_ indices: [Int]) { values = indices.map { values[$0] } }
    override final func order(_ one: Int, _ other: Int) -> Int {
        sign * compare(values[one], values[other])
    }
}

/// How values compare where each has its place: NaN is after every number, and equal to itself.
@inline(__always)
func totalOrder<Value: Comparable>(_ one: Value, _ other: Value) -> Int {
    if Value.self == Decimal.self {
        let isNaN = (
            unsafeBitCast(one, to: Decimal.self).isNaN, unsafeBitCast(other, to: Decimal.self).isNaN
        )
        // Foundation has it before every number.
        if isNaN.0 || isNaN.1 { return (isNaN.0 ? 1 : 0) - (isNaN.1 ? 1 : 0) }
    }
    if Value.self == String.self {
        return textOrder(
            unsafeBitCast(one, to: String.self), unsafeBitCast(other, to: String.self))
    }
    if one < other { return -1 }
    if other < one { return 1 }
    if one == other { return 0 }
    // What is neither equal nor in order is not even equal to itself.
    return (one == one ? 0 : 1) - (other == other ? 0 : 1)
}

/// As ``totalOrder(_:_:)-(Value,Value)``, `nil` before every value.
@inline(__always)
func totalOrder<Value: Comparable>(_ one: Value?, _ other: Value?) -> Int {
    guard let one, let other else { return (one == nil ? 0 : 1) - (other == nil ? 0 : 1) }
    return totalOrder(one, other)
}

extension SortColumn {
    /// The values of a key path, by their own `<`.
    static func values<Object: StoredObject, Value: Comparable>(
        _ keyPath: KeyPath<Object, Value>, isDescending: Bool
    ) -> SortColumn {
        known(keyPath, isDescending)
            ?? ComparedColumn<Value>(
                { ValueSource(keyPath, $0).read }, isDescending: isDescending,
                compare: { totalOrder($0, $1) })
    }

    /// As ``values(_:isDescending:)``, `nil` before every value.
    static func optionals<Object: StoredObject, Value: Comparable>(
        _ keyPath: KeyPath<Object, Value?>, isDescending: Bool
    ) -> SortColumn {
        known(keyPath, isDescending)
            ?? ComparedColumn<Value?>(
                { ValueSource(keyPath, $0).read }, isDescending: isDescending,
                compare: { totalOrder($0, $1) })
    }

    /// A column for values of a type that code knows, or for optional ones; `nil` for others.
    static func known<Object: StoredObject>(
        _ keyPath: PartialKeyPath<Object>, _ isDescending: Bool
    ) -> SortColumn? {
        if let path = keyPath as? KeyPath<Object, String> {
            return TextColumn(isDescending) { ValueSource(path, $0).optional }
        }
        if let path = keyPath as? KeyPath<Object, String?> {
            return TextColumn(isDescending) { ValueSource(path, $0) }
        }
        let type = Swift.type(of: keyPath).valueType
        let wrapped = (type as? any OptionalValue.Type)?.wrappedType
        let making = RankMaking<Object>(
            keyPath: keyPath, isOptional: wrapped != nil, isDescending: isDescending)
        return withFixedType(wrapped ?? type, making).flatMap { $0 }
    }
}

/// Makes a column of ranks by code that knows the type of the values.
private struct RankMaking<Object: StoredObject>: FixedValueBody {
    let keyPath: PartialKeyPath<Object>
    let isOptional: Bool
    let isDescending: Bool

    func run<Value: FixedValue>(_ type: Value.Type) -> SortColumn? {
        if isOptional, let path = keyPath as? KeyPath<Object, Value?> {
            return RankColumn(isDescending) { fields in
                let read = ValueSource(path, fields).read
                return { try read($0)?.rank }
            }
        }
        guard let path = keyPath as? KeyPath<Object, Value> else { return nil }
        return RankColumn(isDescending) { fields in
            let read = ValueSource(path, fields).read
            return { try read($0).rank }
        }
    }
}
