/// Finds the words of a sorted dictionary that match a ``TypoPattern``, and seeks over those that cannot.
///
/// For each beginning that rules a match out, the walk finds the smallest letter by which it could go on,
/// from the row of distances alone, and seeks there: what an intersection of a sorted list with a
/// Levenshtein automaton does (Schulz and Mihov 2002), without building the automaton. The order of words
/// is that of their bytes of UTF-8, which is that of their scalars.
package struct TypoWalk {
    private var rows: TypoRows
    /// What all words of interest begin with, before their first letter.
    private let lead: [UInt8]
    /// What is looked up next.
    private var key: [UInt8] = []
    /// How many times a word was looked up.
    private(set) var seeks = 0

    package init(_ pattern: TypoPattern, lead: [UInt8] = []) {
        rows = TypoRows(pattern)
        self.lead = lead
    }

    /// Calls `found` with each word that matches, in order, and its cost.
    /// - Parameters:
    ///   - seek: gives the first word of the dictionary that is not before a key; `nil` if there is none.
    ///   - found: `false` ends the walk.
    package mutating func forEach(
        seek: (_ key: [UInt8]) throws -> [UInt8]?,
        found: (_ word: [UInt8], _ cost: Int) throws -> Bool
    ) rethrows {
        key = lead
        while true {
            seeks += 1
            guard let word = try seek(key), word.starts(with: lead) else { return }
            if take(word) {
                if let cost = rows.cost, try !found(word, cost) { return }
                key.removeAll(keepingCapacity: true)
                key += word
                key.append(0)
            } else {
                guard takeNextKey() else { return }
                // Of bytes that are no UTF-8, the rows do not give back the word.
                if !word.lexicographicallyPrecedes(key) { key = word + [0] }
            }
        }
    }

    /// Brings the rows to `word`; `false` as soon as it cannot match: then its last row says so.
    private mutating func take(_ word: [UInt8]) -> Bool {
        word.withUnsafeBufferPointer { bytes in
            var offset = lead.count
            var depth = 0
            while offset < bytes.count {
                let (value, length) = UTF8Decoding.scalar(in: bytes, at: offset)
                offset += length
                if depth < rows.count, rows.letters[depth] == value {
                    depth += 1
                    continue
                }
                rows.truncate(to: depth)
                depth += 1
                guard rows.append(value) else { return false }
            }
            rows.truncate(to: depth)
            return true
        }
    }

    /// Makes ``key`` the smallest one behind all words like the rows by which a match can begin;
    /// `false`: there is none.
    private mutating func takeNextKey() -> Bool {
        while let last = rows.letters.last {
            rows.truncate(to: rows.count - 1)
            if let letter = nextLetter(after: last) {
                key.removeAll(keepingCapacity: true)
                key += lead
                for letter in rows.letters { Self.append(letter, to: &key) }
                Self.append(letter, to: &key)
                return true
            }
        }
        return false
    }

    /// The smallest letter behind `last` with which the rows' letters can go on.
    private mutating func nextLetter(after last: UInt32) -> UInt32? {
        guard var following = Self.letter(after: last) else { return nil }
        let near = rows.nearLetters
        // Letters that make no difference are all alike.
        var foreign = Optional(following)
        while let letter = foreign, near.contains(letter) { foreign = Self.letter(after: letter) }
        if let letter = foreign, !canGoOn(letter) { foreign = nil }
        while let letter = Self.smallest(near, from: following) {
            if let foreign, foreign < letter { return foreign }
            if canGoOn(letter) { return letter }
            guard let next = Self.letter(after: letter) else { break }
            following = next
        }
        return foreign
    }

    private static func smallest(_ letters: ArraySlice<UInt32>, from least: UInt32) -> UInt32? {
        var smallest = UInt32.max
        for letter in letters where letter >= least { smallest = min(smallest, letter) }
        return smallest == .max ? nil : smallest
    }

    private static func letter(after letter: UInt32) -> UInt32? {
        letter >= 0x10FFFF ? nil : letter == 0xD7FF ? 0xE000 : letter + 1
    }

    private mutating func canGoOn(_ letter: UInt32) -> Bool {
        let count = rows.count
        defer { rows.truncate(to: count) }
        return rows.append(letter)
    }

    private static func append(_ letter: UInt32, to key: inout [UInt8]) {
        guard letter >= 0x80 else { return key.append(UInt8(letter)) }
        if let scalar = Unicode.Scalar(letter), let bytes = UTF8.encode(scalar) { key += bytes }
    }
}
