/// Finds the words of a sorted dictionary that match a ``TypoPattern``, and seeks over those that cannot.
///
/// For each beginning that rules a match out, the walk finds the smallest letter by which it could go on,
/// from the row of distances alone, and seeks there: what an intersection of a sorted list with a
/// Levenshtein automaton does (Schulz and Mihov 2002), without building the automaton. The order of words
/// is that of their bytes of UTF-8, which is that of their scalars.
struct TypoWalk {
    private var rows: TypoRows
    /// What all words of interest begin with, before their first letter.
    private let lead: [UInt8]
    private let ownLetters: [UInt32]
    /// So many times a word was looked up.
    private(set) var seeks = 0

    init(_ pattern: TypoPattern, lead: [UInt8] = []) {
        rows = TypoRows(pattern)
        self.lead = lead
        ownLetters = Set(pattern.letters).sorted()
    }

    /// Calls `found` with each word that matches, in order, and its cost.
    /// - Parameters:
    ///   - seek: gives the first word of the dictionary that is not before a key; `nil` if there is none.
    ///   - found: `false` ends the walk.
    mutating func forEach(
        seek: (_ key: [UInt8]) throws -> [UInt8]?,
        found: (_ word: [UInt8], _ cost: Int) throws -> Bool
    ) rethrows {
        var key = lead
        while true {
            seeks += 1
            guard let word = try seek(key), word.starts(with: lead) else { return }
            if take(word) {
                if let cost = rows.cost, try !found(word, cost) { return }
                key = word
                key.append(0)
            } else if let next = nextKey() {
                key = next
            } else {
                return
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

    /// The smallest key behind all words that begin like the rows, by which a match can begin.
    private mutating func nextKey() -> [UInt8]? {
        while let last = rows.letters.last {
            rows.truncate(to: rows.count - 1)
            if let letter = nextLetter(after: last) {
                var key = lead
                for letter in rows.letters { Self.append(letter, to: &key) }
                Self.append(letter, to: &key)
                return key
            }
        }
        return nil
    }

    /// The smallest letter behind `last` with which the rows' letters can go on.
    private mutating func nextLetter(after last: UInt32) -> UInt32? {
        let following = last == 0xD7FF ? 0xE000 : last + 1
        guard following <= 0x10FFFF else { return nil }
        // Letters that the pattern does not have are all alike.
        let other = firstForeign(from: following)
        let isOpen = other.map { canGoOn($0) } ?? false
        for letter in ownLetters where letter >= following {
            if isOpen, let other, other < letter { return other }
            if canGoOn(letter) { return letter }
        }
        return isOpen ? other : nil
    }

    /// The first letter from `letter` on that the pattern does not have.
    private func firstForeign(from letter: UInt32) -> UInt32? {
        var letter = letter
        while ownLetters.contains(letter) { letter = letter == 0xD7FF ? 0xE000 : letter + 1 }
        return letter <= 0x10FFFF ? letter : nil
    }

    private mutating func canGoOn(_ letter: UInt32) -> Bool {
        let count = rows.count
        defer { rows.truncate(to: count) }
        return rows.append(letter)
    }

    private static func append(_ letter: UInt32, to key: inout [UInt8]) {
        if let scalar = Unicode.Scalar(letter) { key += Array(UTF8.encode(scalar) ?? .init()) }
    }
}
