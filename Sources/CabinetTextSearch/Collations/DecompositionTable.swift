/// Canonical decompositions and compositions, as far as the running standard library has them.
///
/// The library compares strings by normalization form C but has no public function for it, and
/// Foundation's knows an older Unicode on Linux: it differs for 20 scalars in Swift 6.3. A scalar
/// that the running library does not know is left out, so keys agree with the order of `<` also
/// there: published decompositions never change (Unicode's stability policy).
struct DecompositionTable: Sendable {
    /// Made at the first use: 2,081 entries.
    static let shared = DecompositionTable()

    private var decompositions: [UInt32: [UInt32]] = [:]
    private var compositions: [UInt64: UInt32] = [:]
    private var seconds: Set<UInt32> = []

    private init() {
        var composable: [(UInt32, [UInt32])] = []
        decompositions.reserveCapacity(2100)
        for (value, parts) in Self.entries() {
            guard let scalar = Unicode.Scalar(value), scalar.properties.age != nil else {
                continue
            }
            decompositions[value] = parts
            if parts.count > 1, !scalar.properties.isFullCompositionExclusion {
                composable.append((value, parts))
            }
        }
        // A composite of three scalars is one of the first two and the third.
        for (value, parts) in composable.sorted(by: { $0.1.count < $1.1.count }) {
            var first = parts[0]
            for part in parts.dropFirst().dropLast() {
                first = compositions[Self.pair(first, part)] ?? first
            }
            let last = parts[parts.count - 1]
            compositions[Self.pair(first, last)] = value
            seconds.insert(last)
        }
    }

    /// What `value` is decomposed into; `nil` for itself. Hangul syllables are not in the table.
    func decomposition(of value: UInt32) -> [UInt32]? { decompositions[value] }

    /// Whether `value` can be the second of a pair that is composed. Hangul is not in the table.
    func isSecond(_ value: UInt32) -> Bool { seconds.contains(value) }

    /// What two scalars are composed to. Hangul is not in the table.
    func composition(_ first: UInt32, _ second: UInt32) -> UInt32? {
        compositions[Self.pair(first, second)]
    }

    private static func pair(_ first: UInt32, _ second: UInt32) -> UInt64 {
        UInt64(first) << 32 | UInt64(second)
    }

    /// The scalars of ``decompositionText`` and what they are decomposed into.
    static func entries() -> [(UInt32, [UInt32])] {
        var found: [(UInt32, [UInt32])] = []
        found.reserveCapacity(2100)
        var value: UInt32 = 0
        var numbers: [UInt32] = []
        var number: UInt32 = 0
        func endEntry() {
            numbers.append(number)
            value += numbers[0]
            found.append((value, Array(numbers.dropFirst())))
            numbers.removeAll(keepingCapacity: true)
            number = 0
        }
        let text = UnsafeBufferPointer(
            start: decompositionText.utf8Start, count: decompositionText.utf8CodeUnitCount)
        for byte in text {
            switch byte {
            case 0x30...0x39: number = number * 36 + UInt32(byte - 0x30)
            case 0x61...0x7A: number = number * 36 + UInt32(byte - 0x61 + 10)
            case 0x2E:
                numbers.append(number)
                number = 0
            default: endEntry()
            }
        }
        endEntry()
        return found
    }
}
