import CabinetBackend

/// What to make of a property of many objects: a count, a sum, the least value.
///
/// ```swift
/// let years = try store.groups(Song.self, by: \.artist, .count, .sum(\.seconds))
/// for (artist, (songs, seconds)) in years { print(artist, songs, seconds) }
/// ```
///
/// `Sendable`: a value.
public struct Aggregate<Object: StoredObject, Result>: Sendable {
    /// Makes the state of a result, and for a class what adds a cursor to a state.
    let makeState: @Sendable () -> AggregateState<Result>
    let adding: @Sendable (ClassFields) -> (RowCursor, AggregateState<Result>) throws -> Void
    /// Which fields of a class it reads; `nil` if it may read others than declared ones.
    let read: @Sendable (ClassFields) -> FieldsRead?
    /// Adds so many objects to a state, where only their number matters.
    private(set) var addCount: (@Sendable (Int, AggregateState<Result>) -> Void)?

    /// - Parameters:
    ///   - keyPath: what it is made of.
    ///   - isExact: whether an equal value would not do.
    ///   - makeState: makes the state of a result.
    ///   - step: adds a value to a state that `makeState` made.
    init<Value, State: AggregateState<Result>>(
        _ keyPath: KeyPath<Object, Value> & Sendable, isExact: Bool = true,
        _ makeState: @escaping @Sendable () -> State,
        step: @escaping @Sendable (Value, RowID, State) throws -> Void
    ) {
        self.makeState = makeState
        read = { fields in
            fields.field(at: keyPath).map { field in
                isExact
                    ? FieldsRead(exactly: [field.index]) : FieldsRead(equally: [field.index])
            }
        }
        adding = { fields in
            let read = ValueSource(keyPath, fields).read
            return { cursor, state in
                try step(
                    try read(cursor), cursor.row, unsafeDowncast(state, to: State.self))
            }
        }
    }

    init(
        makeState: @escaping @Sendable () -> AggregateState<Result>,
        addCount: @escaping @Sendable (Int, AggregateState<Result>) -> Void
    ) {
        self.makeState = makeState
        self.addCount = addCount
        read = { _ in FieldsRead() }
        adding = { _ in { addCount(1, $1) } }
    }
}

/// A result that is being made.
class AggregateState<Result> {
    /// The result of all that was added.
    var result: Result { preconditionFailure("each state has a result of its own") }
}

/// A state that is a value.
final class ValueState<State, Result>: AggregateState<Result> {
    var state: State
    private let finish: (State) -> Result

    init(_ state: State, _ finish: @escaping (State) -> Result) {
        self.state = state
        self.finish = finish
    }

    override var result: Result { finish(state) }
}

extension Aggregate where Result == Int {
    /// How many objects there are.
    public static var count: Aggregate {
        Aggregate(
            makeState: { ValueState(0) { $0 } },
            addCount: { unsafeDowncast($1, to: ValueState<Int, Int>.self).state += $0 })
    }
}

extension Aggregate {
    /// The sum of the values; of none, 0.
    ///
    /// Integers are added as `Int`: the call throws ``QueryError/sumOverflow`` if that cannot hold
    /// the sum. Floating-point numbers are added as `Double`, in no order.
    public static func sum<Value: SummableValue & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value> & Sendable
    ) -> Aggregate where Result == Value.Sum {
        Aggregate(
            keyPath, isExact: false, { ValueState(Value.emptySum) { $0 } },
            step: { value, _, state in
                _ = try value.add(to: &state.state)
            })
    }

    /// The mean of the values; `nil` if there are none. Integers as in ``sum(_:)``.
    public static func average<Value: SummableValue & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value> & Sendable
    ) -> Aggregate where Result == Double? {
        Aggregate(
            keyPath, isExact: false,
            {
                ValueState((sum: Value.emptySum, count: 0)) {
                    $0.count == 0 ? nil : Value.number($0.sum) / Double($0.count)
                }
            },
            step: { value, _, state in
                if try value.add(to: &state.state.sum) { state.state.count += 1 }
            })
    }

    /// The least value; `nil` if there are none. NaN counts as greater than every number.
    public static func min<Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value> & Sendable
    ) -> Aggregate where Result == Value? { extreme(keyPath, 1) { $0 } }

    /// The least value that is not `nil`; `nil` if there are none.
    public static func min<Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value?> & Sendable
    ) -> Aggregate where Result == Value? { extreme(keyPath, 1) { $0 } }

    /// The greatest value; `nil` if there are none. NaN counts as greater than every number.
    public static func max<Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value> & Sendable
    ) -> Aggregate where Result == Value? { extreme(keyPath, -1) { $0 } }

    /// The greatest value that is not `nil`; `nil` if there are none.
    public static func max<Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Value?> & Sendable
    ) -> Aggregate where Result == Value? { extreme(keyPath, -1) { $0 } }

    private static func extreme<Read, Value: Comparable & SendableMetatype>(
        _ keyPath: KeyPath<Object, Read> & Sendable, _ sign: Int,
        _ value: @escaping @Sendable (Read) -> Value?
    ) -> Aggregate where Result == Value? {
        Aggregate(
            keyPath, { ValueState(Value?.none) { $0 } },
            step: { read, _, state in
                guard let value = value(read) else { return }
                guard let best = state.state else {
                    state.state = value
                    return
                }
                if sign * totalOrder(value, best) < 0 { state.state = value }
            })
    }

    /// The texts in the order of rows, with `separator` between them.
    public static func joined(
        _ keyPath: KeyPath<Object, String> & Sendable, separator: String = ", "
    ) -> Aggregate where Result == String {
        Aggregate(
            keyPath,
            {
                ValueState([(row: RowID, text: String)]()) { parts in
                    parts.inOrder { $0.row < $1.row }.map(\.text).joined(separator: separator)
                }
            },
            step: { text, row, state in
                state.state.append((row, text))
            })
    }
}
