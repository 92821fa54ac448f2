/// Makes the choices by which one state of a disk differs from another.
package protocol Chooser {
    /// One of `options`, from 0 on. 0 is always the loss, 1 that nothing is lost.
    mutating func choose(_ options: Int) -> Int
}

/// Goes through all choices there are: `repeat { use(&odometer) } while odometer.advance()`.
package struct Odometer: Chooser {
    private var digits: [(value: Int, options: Int)] = []
    private var position = 0

    package init() {}

    package mutating func choose(_ options: Int) -> Int {
        defer { position += 1 }
        if position == digits.count { digits.append((0, options)) }
        return digits[position].value
    }

    /// Goes to the next choices; `false` when all were made.
    package mutating func advance() -> Bool {
        digits.removeLast(digits.count - position)
        position = 0
        while let last = digits.popLast() {
            if last.value + 1 < last.options {
                digits.append((last.value + 1, last.options))
                return true
            }
        }
        return false
    }
}

/// Chooses at random, in one of the ways in which disks really fail: losing everything, nothing,
/// almost everything, almost nothing, or anything.
package struct RandomChooser: Chooser {
    private var random: SeededRandom
    private let habit: Int

    package init(_ random: SeededRandom) {
        self.random = random
        habit = self.random.below(8)
    }

    package mutating func choose(_ options: Int) -> Int {
        guard options > 1 else { return 0 }
        switch habit {
        case 0: return 0
        case 1: return 1
        case 2 where !random.once(in: 8): return 0
        case 3 where !random.once(in: 8): return 1
        default: return random.below(options)
        }
    }
}

/// Chooses the same everywhere: 0, and everything that is not certain is lost; 1, and nothing is.
package struct FixedChooser: Chooser {
    private let choice: Int

    package init(_ choice: Int) { self.choice = choice }

    package mutating func choose(_ options: Int) -> Int { min(choice, options - 1) }
}
