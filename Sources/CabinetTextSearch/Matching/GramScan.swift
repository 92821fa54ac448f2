/// Finds the leaves of a search in a text that ``Tokenizer/substring`` takes apart, without making
/// its terms: a leaf stands wherever its folded scalars follow one another.
struct GramScan {
    private struct Needle: Hashable {
        let scalars: [UInt32]
        let terms: Int
    }

    /// Those that are not the same.
    private let needles: [Needle]
    /// Of each leaf the number of its needle.
    private let needleOfLeaf: [Int]
    /// The last scalars of the text, as many as the longest leaf has, each at its number in the
    /// text modulo that.
    private var window: [FoldedScalars.Element]
    private var found: [[Occurrence]]
    private(set) var wordCount = 0

    /// - Parameter leaves: the terms of each leaf, as ``SearchLeaf/patterns(_:_:)`` makes them;
    ///   empty for a leaf that is not asked for.
    /// - Returns: `nil` for other terms.
    init?(_ leaves: [[[TermPattern]]]) {
        var needles: [Needle] = []
        var numbers: [Needle: Int] = [:]
        var needleOfLeaf: [Int] = []
        for alternatives in leaves {
            guard alternatives.count <= 1 else { return nil }
            let patterns = alternatives.first ?? []
            var scalars: [UInt32] = []
            for (index, pattern) in patterns.enumerated() {
                guard pattern.offset == index else { return nil }
                let own = Self.scalars(of: pattern.term)
                switch pattern.kind {
                case .prefix where patterns.count == 1: scalars = own
                case .exact where own.count == GramTokens.length:
                    scalars += index == 0 ? own : [own[own.count - 1]]
                default: return nil
                }
            }
            let needle = Needle(scalars: scalars, terms: patterns.count)
            let number = numbers[needle] ?? needles.count
            if number == needles.count { needles.append(needle) }
            numbers[needle] = number
            needleOfLeaf.append(number)
        }
        self.needles = needles
        self.needleOfLeaf = needleOfLeaf
        let longest = needles.map(\.scalars.count).max() ?? 0
        window = Array(
            repeating: FoldedScalars.Element(value: 0, range: 0..<0),
            count: max(longest, 1))
        found = Array(repeating: [], count: needles.count)
    }

    private static func scalars(of term: [UInt8]) -> [UInt32] {
        term.withUnsafeBufferPointer { bytes in
            var scalars: [UInt32] = []
            var offset = 0
            while offset < bytes.count {
                let (value, length) = UTF8Decoding.scalar(in: bytes, at: offset)
                scalars.append(value)
                offset += length
            }
            return scalars
        }
    }

    func occurrences(of leaf: Int) -> [Occurrence] { found[needleOfLeaf[leaf]] }

    /// Looks through a text; what was found in another one is forgotten.
    mutating func scan(_ text: UnsafeBufferPointer<UInt8>) {
        for index in found.indices { found[index].removeAll(keepingCapacity: true) }
        var scalars = FoldedScalars(text, 0..<text.count, .plain)
        var count = 0
        var slot = 0
        while let next = scalars.next() {
            window[slot] = next
            slot += 1
            if slot == window.count { slot = 0 }
            count += 1
            for index in needles.indices where needles[index].scalars.count <= count {
                look(for: index, endingAt: count)
            }
        }
        wordCount = min(count, Tokenizer.termLimit)
    }

    /// Notes a needle if it is the last of the `count` scalars that were read.
    @inline(__always)
    private mutating func look(for index: Int, endingAt count: Int) {
        let needle = needles[index]
        let length = needle.scalars.count
        let start = count - length
        guard length > 0, start + needle.terms <= Tokenizer.termLimit else { return }
        let size = window.count
        for place in 0..<length
        where window[(start + place) % size].value != needle.scalars[place] { return }
        guard found[index].count < Tokenizer.placeLimit else { return }
        let range =
            window[start % size].range.lowerBound..<window[(count - 1) % size].range.upperBound
        found[index].append(
            Occurrence(positions: start..<count, range: range, typos: 0))
    }
}
