import Cabinet
import Foundation
import Testing
import TrustSupport

private enum MoodInKey: Int8, OrderedKeyValue, CaseIterable {
    case calm = -3
    case glad = 4
    case wild = 100
}

private enum GenreInKey: String, OrderedKeyValue, CaseIterable { case jazz, soul, fado }

/// Two parts, the first of which may be `nil`.
private struct PlaceInKey: OrderedKeyValue, Equatable {
    var name: String?
    var number: Int

    func write(to key: inout OrderedKeyBuilder) {
        key.append(name)
        key.append(number)
    }
    static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> PlaceInKey {
        PlaceInKey(name: try key.read(), number: try key.read())
    }
    static var mayBeginWithNil: Bool { true }
}

struct CompositeKeyTests {
    private func isBefore<Value>(
        _ one: Value?, _ other: Value?, by areInOrder: (Value, Value) -> Bool
    ) -> Bool {
        guard let other else { return false }
        guard let one else { return true }
        return areInOrder(one, other)
    }

    @Test func nilComesFirst() throws {
        let texts: [String?] = [nil] + TextSamples.texts(300, seed: 40).map { Optional($0) }
        try expectOrder(texts) { isBefore($0, $1, by: <) }
        var random = SeededRandom(seed: 41)
        var numbers: [Double?] = [nil, -.infinity]
        for number in 0..<300 { numbers.append(Double(number - 150) / 4) }
        try expectOrder(numbers) { isBefore($0, $1, by: <) }
        let nested: [Int??] = (0..<300).map { _ in
            switch random.below(4) {
            case 0: .none
            case 1: .some(.none)
            default: random.below(9) - 4
            }
        }
        try expectOrder(nested) { (one: Int??, other: Int??) in
            isBefore(one, other) { (one: Int?, other: Int?) in isBefore(one, other, by: <) }
        }
    }

    @Test func enumsAreInTheOrderOfTheirRawValues() throws {
        try expectOrder(MoodInKey.allCases) { $0.rawValue < $1.rawValue }
        try expectOrder(GenreInKey.allCases) { $0.rawValue < $1.rawValue }
        try expectOrder([nil] + MoodInKey.allCases.map { Optional($0) }) {
            isBefore($0, $1) { $0.rawValue < $1.rawValue }
        }
        #expect(OrderedKey(MoodInKey.glad) == OrderedKey(4))
    }

    @Test func pairsAreInTheOrderOfTuples() throws {
        var random = SeededRandom(seed: 42)
        let texts = TextSamples.texts(60, seed: 43)
        let values = (0..<1500).map { _ -> (String?, Int, Double?) in
            let text = random.once(in: 5) ? nil : random.element(of: texts)
            let number = Int(truncatingIfNeeded: random.next()) >> random.below(64)
            let float = random.once(in: 4) ? nil : Double(random.below(5)) - 2
            return (text, number, float)
        }
        let keys = values.map { OrderedKey($0.0, $0.1, $0.2) }
        for _ in 0..<30_000 {
            let (one, other) = (random.below(values.count), random.below(values.count))
            let (left, right) = (values[one], values[other])
            let orders = [
                order(left.0, right.0) { isBefore($0, $1, by: <) }, order(left.1, right.1, by: <),
                order(left.2, right.2) { isBefore($0, $1, by: <) },
            ]
            #expect(byteOrder(keys[one], keys[other]) == orders.first { $0 != 0 } ?? 0)
        }
        for (value, key) in zip(values, keys) {
            let found = try key.values(String?.self, Int.self, Double?.self)
            #expect(found == value)
        }
    }

    @Test func typesOfOnesOwnAreKeys() throws {
        let names: [String?] = [nil, "", "a", "a\0", "b"]
        var places: [PlaceInKey] = []
        for name in names {
            for number in -2..<3 { places.append(PlaceInKey(name: name, number: number)) }
        }
        let areInOrder = { (one: PlaceInKey, other: PlaceInKey) -> Bool in
            one.name != other.name
                ? isBefore(one.name, other.name, by: <) : one.number < other.number
        }
        try expectOrder(places, by: areInOrder)
        // An optional of a type that may begin with nil tells its own nil from the other.
        try expectOrder(places.map { Optional($0) } + [nil]) { isBefore($0, $1, by: areInOrder) }
    }

    @Test func aBuilderIsUsedAgain() throws {
        var builder = OrderedKeyBuilder()
        builder.append("artist")
        let size = builder.size
        for year in 1950..<1960 {
            builder.removeParts(after: size)
            builder.append(year)
            #expect(builder.key == OrderedKey("artist", year))
            builder.withUnsafeBytes(row: 0xFF00_0001) { bytes in
                #expect(OrderedKey.row(of: bytes) == 0xFF00_0001)
                var row: RowID = 0
                #expect(OrderedKey(bytes, row: &row) == OrderedKey("artist", year))
                #expect(row == 0xFF00_0001)
                #expect(Array(bytes) == OrderedKey("artist", year).bytes(withRow: row))
            }
        }
        builder.removeAll()
        #expect(builder.key == OrderedKey() && builder.size == 0)
        var behind = OrderedKeyBuilder(OrderedKey("a"))
        behind.append(true)
        #expect(behind.key == OrderedKey("a", true))
    }

    @Test func aKeyIsNotShortenedToMoreThanItHas() async {
        await #expect(processExitsWith: .failure) {
            var builder = OrderedKeyBuilder()
            builder.removeParts(after: 1)
        }
    }
}
