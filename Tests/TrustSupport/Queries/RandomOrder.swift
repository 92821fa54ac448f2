import Cabinet
import Foundation

/// An order for a query, and in plain Swift: below 0 if the first one comes first.
struct RandomOrder {
    let order: ObjectOrder<Specimen>
    let compare: (SpecimenValues, SpecimenValues) -> Int

    static func random(_ random: inout SeededRandom) -> RandomOrder {
        let isDescending = random.once(in: 2)
        func make<Value: Comparable & SendableMetatype>(
            _ path: SpecimenPath<Value>, _ plain: @escaping (SpecimenValues) -> Value
        ) -> RandomOrder {
            RandomOrder(
                order: isDescending ? .descending(path) : .ascending(path),
                compare: { one, other in
                    (isDescending ? -1 : 1) * Self.compare(plain(one), plain(other))
                })
        }
        func makeOptional<Value: Comparable & SendableMetatype>(
            _ path: SpecimenPath<Value?>, _ plain: @escaping (SpecimenValues) -> Value?
        ) -> RandomOrder {
            RandomOrder(
                order: isDescending ? .descending(path) : .ascending(path),
                compare: { one, other in
                    let sign = isDescending ? -1 : 1
                    guard let first = plain(one), let second = plain(other) else {
                        return sign * ((plain(one) == nil ? 0 : 1) - (plain(other) == nil ? 0 : 1))
                    }
                    return sign * Self.compare(first, second)
                })
        }
        switch random.below(7) {
        case 0: return make(\.title) { $0.title }
        case 1: return make(\.year) { $0.year }
        case 2: return make(\.score) { $0.score }
        case 3: return make(\.released) { $0.released }
        case 4: return makeOptional(\.subtitle) { $0.subtitle }
        case 5: return makeOptional(\.level) { $0.level }
        default: return make(\.loudTitle) { $0.title + "!" }
        }
    }

    /// NaN is last.
    private static func compare<Value: Comparable>(_ one: Value, _ other: Value) -> Int {
        let (isFirstNumber, isSecondNumber) = (one == one, other == other)
        guard isFirstNumber, isSecondNumber else {
            return (isFirstNumber ? 0 : 1) - (isSecondNumber ? 0 : 1)
        }
        return one < other ? -1 : one == other ? 0 : 1
    }
}
