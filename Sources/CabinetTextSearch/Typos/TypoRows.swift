/// The rows of the table of distances, one for each letter of the other word, of which the last can
/// be taken back. Only cells near the diagonal are filled in: others are above the limit (Ukkonen
/// 1985).
struct TypoRows {
    let pattern: TypoPattern
    /// The other word's letters so far.
    private(set) var letters: [UInt32] = []
    /// ``width`` costs for each letter, after one row for none; else ``tooHigh``.
    private var cells: [UInt8]
    /// Of each row, the lowest cost of a beginning of the other word so far.
    private var best: [UInt8]
    private let width: Int
    private let limit: Int
    private let tooHigh: UInt8

    init(_ pattern: TypoPattern) {
        self.pattern = pattern
        limit = pattern.limit
        width = pattern.letters.count + 1
        let tooHigh = UInt8(pattern.limit + 1)
        // Leaving out the first letter costs two, each other one.
        cells = (0..<width).map { min(UInt8(clamping: $0 == 0 ? 0 : $0 + 1), tooHigh) }
        best = [cells[width - 1]]
        self.tooHigh = tooHigh
    }

    var count: Int { letters.count }

    mutating func truncate(to count: Int) {
        guard count < letters.count else { return }
        letters.removeLast(letters.count - count)
        best.removeLast(best.count - count - 1)
    }

    /// Adds a letter; whether a word that begins so can match.
    mutating func append(_ letter: UInt32) -> Bool {
        let row = letters.count + 1
        if cells.count < (row + 1) * width {
            cells.append(contentsOf: repeatElement(tooHigh, count: 4 * width))
        }
        let lowest = fill(row, letter)
        letters.append(letter)
        let last = row - limit < width ? cells[row * width + width - 1] : tooHigh
        // A column that was not filled may hold what an earlier letter left.
        let isFilled = row + limit >= width - 1
        best.append(min(best[best.count - 1], isFilled ? last : tooHigh))
        return lowest < tooHigh || pattern.isPrefix && best[best.count - 1] < tooHigh
    }

    /// Fills in the cells of a row from `limit` before to `limit` behind the diagonal.
    private mutating func fill(_ row: Int, _ letter: UInt32) -> UInt8 {
        let first = max(row - limit, 0)
        let end = min(row + limit + 1, width)
        guard first < end else { return tooHigh }
        let before = letters.last
        let (limit, width, tooHigh) = (limit, width, tooHigh)
        return pattern.letters.withUnsafeBufferPointer { own in
            cells.withUnsafeMutableBufferPointer { cells in
                let above = (row - 1) * width
                let this = row * width
                var lowest = tooHigh
                var left = tooHigh
                for index in first..<end {
                    var cost: UInt8
                    if index == 0 {
                        cost = cells[above] &+ 2
                    } else {
                        let weight: UInt8 = index == 1 ? 2 : 1
                        let isEqual = own[index - 1] == letter
                        cost = min(
                            left &+ weight, cells[above + index - 1] &+ (isEqual ? 0 : weight))
                        if index < row + limit {
                            cost = min(cost, cells[above + index] &+ 1)
                        }
                        if index > 1, row > 1, own[index - 2] == letter, own[index - 1] == before {
                            let exchange: UInt8 = index == 2 ? 2 : 1
                            cost = min(cost, cells[above - width + index - 2] &+ exchange)
                        }
                        cost = min(cost, tooHigh)
                    }
                    cost = min(cost, tooHigh)
                    cells[this + index] = cost
                    lowest = min(lowest, cost)
                    left = cost
                }
                return lowest
            }
        }
    }

    /// The cost of the word of all letters so far; `nil` if it is too high.
    var cost: Int? {
        let row = letters.count
        let isFilled = abs(row - width + 1) <= limit
        let exact = isFilled ? cells[row * width + width - 1] : tooHigh
        let cost = pattern.isPrefix ? best[best.count - 1] : exact
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
