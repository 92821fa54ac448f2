import Cabinet
import Testing
import TrustSupport

@testable import CabinetTestModel

/// -1, 0 or 1 as the bytes of the first key compare with those of the second.
func byteOrder(_ one: OrderedKey, _ other: OrderedKey) -> Int {
    one < other ? -1 : other < one ? 1 : one == other ? 0 : 2
}

/// -1, 0 or 1 by `areInOrder`.
func order<Value>(_ one: Value, _ other: Value, by areInOrder: (Value, Value) -> Bool) -> Int {
    areInOrder(one, other) ? -1 : areInOrder(other, one) ? 1 : 0
}

/// Expects that keys have the order of the values, pair by pair, and with other parts before and
/// behind them; and that the value can be read from its key.
func expectOrder<Value: OrderedKeyValue & Equatable>(
    _ values: [Value], seed: UInt64 = 1, pairs: Int = 4000,
    sourceLocation: SourceLocation = #_sourceLocation,
    isSame: (Value, Value) -> Bool = { $0 == $1 }, by areInOrder: (Value, Value) -> Bool
) throws {
    var random = SeededRandom(seed: seed)
    let keys = values.map { OrderedKey($0) }
    let nested = values.map { OrderedKey(Bool?.none, $0, UInt8.max) }
    for _ in 0..<pairs {
        let (one, other) = (random.below(values.count), random.below(values.count))
        let expected = order(values[one], values[other], by: areInOrder)
        guard byteOrder(keys[one], keys[other]) == expected,
            byteOrder(nested[one], nested[other]) == expected
        else {
            Issue.record(
                "\(values[one]) \(keys[one]) and \(values[other]) \(keys[other]), not \(expected)",
                sourceLocation: sourceLocation)
            return
        }
        // The row decides between equal keys only, whatever its bytes.
        let rows = (
            RowID(UInt32(truncatingIfNeeded: random.next())),
            RowID(UInt32(truncatingIfNeeded: random.next()))
        )
        let bytes = (keys[one].bytes(withRow: rows.0), keys[other].bytes(withRow: rows.1))
        let whole = order(bytes.0, bytes.1) { $0.lexicographicallyPrecedes($1) }
        guard whole == (expected != 0 ? expected : order(rows.0, rows.1, by: <)) else {
            Issue.record("rows \(rows) behind \(values[one])", sourceLocation: sourceLocation)
            return
        }
    }
    for (value, key) in zip(values, keys) where !key.isCut {
        let found = try key.values(Value.self)
        #expect(isSame(found, value), sourceLocation: sourceLocation)
        let (_, middle, _) = try OrderedKey(Bool?.none, value, UInt8.max).values(
            Bool?.self, Value.self, UInt8.self)
        #expect(isSame(middle, value), sourceLocation: sourceLocation)
    }
}

extension SeededRandom {
    mutating func element<Value>(of values: [Value]) -> Value { values[below(values.count)] }
}
