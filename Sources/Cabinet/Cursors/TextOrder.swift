import CLibrary
import CabinetTextSearch

/// How two texts compare: below 0 if `one` is before `other`, 0 if they are equal.
///
/// By the scalars of the normalization form C, as Swift has it, and as indexes do. Not by the standard library's
/// `<`: where one text's form C begins with the other's and they are written in different forms, that compares
/// how many bytes they are written in (Swift 6.3: of "cafe\u{301}" and "caf\u{E9}s" neither is less).
func textOrder(_ one: String, _ other: String) -> Int {
    var (one, other) = (one, other)
    let inertOrder = one.withUTF8 { one in
        other.withUTF8 { other -> Int? in
            guard TextNormalizer.isInert(one), TextNormalizer.isInert(other) else { return nil }
            let count = min(one.count, other.count)
            if count > 0, let one = one.baseAddress, let other = other.baseAddress {
                let order = Int(memcmp(one, other, count))
                if order != 0 { return order }
            }
            return one.count - other.count
        }
    }
    if let inertOrder { return inertOrder }
    var (first, second) = (TextNormalizer(), TextNormalizer())
    first.normalize(one)
    second.normalize(other)
    if first.output == second.output { return 0 }
    return first.output.lexicographicallyPrecedes(second.output) ? -1 : 1
}

/// As `<`, but for texts: see ``textOrder(_:_:)``.
@inline(__always)
func isLess<Value: Comparable>(_ one: Value, _ other: Value) -> Bool {
    if Value.self == String.self {
        return textOrder(
            unsafeBitCast(one, to: String.self), unsafeBitCast(other, to: String.self)) < 0
    }
    return one < other
}
