import CLibrary

/// Random numbers that a seed repeats, the same on every machine: SplitMix64 (Steele, Lea and
/// Flood, 2014).
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// The numbers of one part of a run: parts do not disturb each other.
    package init(seed: UInt64, part: UInt64) {
        var root = SeededRandom(seed: seed)
        state = root.next() ^ (part &* 0xD6E8_FEB8_6659_FD93)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A number from 0 up to, not including, `limit`, which must not be 0.
    package mutating func below(_ limit: Int) -> Int {
        Int(next() % UInt64(limit))
    }

    /// `true` once in `times`.
    package mutating func once(in times: Int) -> Bool { below(times) == 0 }
}

/// The numbers that steer a run, from the environment, so that every run can be repeated.
package enum RunSetting {
    /// Where all random choices of a run come from: `CABINET_SEED`, or else the number of the day, in UTC
    /// since 1970, so that no day tries what another has tried. `make test` says it.
    package static let seed: UInt64 =
        number("CABINET_SEED").map(UInt64.init) ?? UInt64(time(nil) / 86_400)

    /// Of what a test repeats with other choices, one in so many is done: `CABINET_SHARE`, or else 8.
    /// `make test-long` sets it to 1; each test runs all the same.
    package static let share = max(number("CABINET_SHARE") ?? 8, 1)

    /// As many of `count` repetitions as are done, at least one.
    package static func repetitions(_ count: Int) -> Int { max(count / share, 1) }

    /// Whether it is the turn of the choice `number` of a test that goes through many: one in ``share`` of them,
    /// others the next day, so that in so many days it is the turn of each.
    package static func isTurn(of number: Int) -> Bool {
        (seed &+ UInt64(number)).isMultiple(of: UInt64(share))
    }

    /// Those of `choices` whose turn it is.
    package static func turns<Choice>(of choices: [Choice]) -> [Choice] {
        choices.indices.filter(isTurn).map { choices[$0] }
    }

    /// As many of the choices as are done of so many repetitions, other ones each day.
    package static func some(of choices: ClosedRange<Int>) -> [Int] {
        let start = Int(seed % UInt64(choices.count))
        return (0..<repetitions(choices.count)).map {
            choices.lowerBound + (start + $0) % choices.count
        }
    }

    /// The first number whose turn it is; ``share`` later comes the next.
    package static var firstTurn: Int { (share - Int(seed % UInt64(share))) % share }

    /// The run's seeds, as many as are done of `count` repetitions; those of one day are not those of
    /// another, and begin at another remainder.
    package static func seeds(_ count: Int) -> Range<UInt64> {
        let first = seed &* 10_007
        return first..<first + UInt64(repetitions(count))
    }

    /// The whole number under `name`; `nil` where there is none.
    package static func number(_ name: String) -> Int? {
        text(name).flatMap { Int($0) }
    }

    /// The text under `name`; `nil` where there is none.
    package static func text(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
