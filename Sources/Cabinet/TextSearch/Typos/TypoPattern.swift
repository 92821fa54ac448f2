/// A word that others are compared with, allowing for typos: the restricted Damerau-Levenshtein distance
/// (Wagner and Fischer 1974, with the exchange of two neighbours as Damerau 1964 counts it), in which
/// everything that touches the first letter of the word costs two.
///
/// Letters are Unicode scalars. `Sendable`: a value.
struct TypoPattern: Sendable, Hashable {
    let letters: [UInt32]
    /// The highest cost that matches, 0 to 2.
    let limit: Int
    /// Whether only the beginning of the other word has to match.
    let isPrefix: Bool

    init(_ word: UnsafeRawBufferPointer, limit: Int, isPrefix: Bool) {
        var letters: [UInt32] = []
        let bytes = word.assumingMemoryBound(to: UInt8.self)
        var offset = 0
        while offset < bytes.count {
            let (value, length) = UTF8Decoding.scalar(in: bytes, at: offset)
            letters.append(value)
            offset += length
        }
        self.letters = letters
        self.limit = limit
        self.isPrefix = isPrefix
    }

    /// What it takes to make `word` of this; `nil` if that is more than ``limit``.
    func cost(of word: UnsafeRawBufferPointer) -> Int? {
        var rows = TypoRows(self)
        return rows.cost(of: word)
    }
}

/// The rows of the table of distances, one for each letter of the other word, of which the last can be
/// taken back. Not `Sendable`: memory for one caller.
struct TypoRows {
    let pattern: TypoPattern
    /// The other word's letters so far.
    private(set) var letters: [UInt32] = []
    /// ``width`` costs for each letter, after one row for none, all at most ``tooHigh``.
    private var cells: [UInt8]
    /// Of each row, the lowest cost of a beginning of the other word so far.
    private var best: [UInt8]
    private let width: Int
    private let tooHigh: UInt8

    init(_ pattern: TypoPattern) {
        self.pattern = pattern
        width = pattern.letters.count + 1
        tooHigh = UInt8(pattern.limit + 1)
        cells = []
        // Leaving out the first letter costs two, each other one.
        for index in 0..<width {
            cells.append(UInt8(min(index == 0 ? 0 : index + 1, Int(tooHigh))))
        }
        best = [cells[width - 1]]
    }

    /// How many rows there are but for the first.
    var count: Int { letters.count }

    /// Takes back all rows behind the first `count` letters.
    mutating func truncate(to count: Int) {
        guard count < letters.count else { return }
        letters.removeLast(letters.count - count)
        cells.removeLast(cells.count - (count + 1) * width)
        best.removeLast(best.count - count - 1)
    }

    /// Adds a letter; whether a word that begins so can match.
    mutating func append(_ letter: UInt32) -> Bool {
        let above = letters.count * width
        var lowest = tooHigh
        for index in 0..<width {
            let cost = min(cost(above, index, letter, left: cells.last), tooHigh)
            lowest = min(lowest, cost)
            cells.append(cost)
        }
        letters.append(letter)
        best.append(min(best[best.count - 1], cells[cells.count - 1]))
        return lowest < tooHigh || pattern.isPrefix && best[best.count - 1] < tooHigh
    }

    /// The cost in column `index` of a new row below the one at `above`.
    @inline(__always)
    private func cost(_ above: Int, _ index: Int, _ letter: UInt32, left: UInt8?) -> UInt8 {
        guard index > 0 else { return cells[above] &+ 2 }
        let weight: UInt8 = index == 1 ? 2 : 1
        var cost = min(cells[above + index] &+ 1, (left ?? tooHigh) &+ weight)
        let isEqual = pattern.letters[index - 1] == letter
        cost = min(cost, cells[above + index - 1] &+ (isEqual ? 0 : weight))
        if index > 1, let last = letters.last, pattern.letters[index - 2] == letter,
            pattern.letters[index - 1] == last
        {
            cost = min(cost, cells[above - width + index - 2] &+ (index == 2 ? 2 : 1))
        }
        return cost
    }

    /// The cost of the word of all letters so far; `nil` if it is too high.
    var cost: Int? {
        let cost = pattern.isPrefix ? best[best.count - 1] : cells[cells.count - 1]
        return cost < tooHigh ? Int(cost) : nil
    }

    /// The cost of `word`; `nil` if it is too high. Rows of earlier letters are taken back.
    mutating func cost(of word: UnsafeRawBufferPointer) -> Int? {
        truncate(to: 0)
        let bytes = word.assumingMemoryBound(to: UInt8.self)
        var offset = 0
        while offset < bytes.count {
            let (value, length) = UTF8Decoding.scalar(in: bytes, at: offset)
            guard append(value) else { return nil }
            offset += length
        }
        return cost
    }
}
