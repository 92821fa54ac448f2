/// Unicode's normalization form C (Unicode Standard Annex 15, section 1.3), a segment at a time.
///
/// Swift compares strings by this form (*canonical equivalence*), in the order of its UTF-8.
package struct TextNormalizer: Sendable {
    /// What the last call made.
    package private(set) var output: [UInt32] = []
    private var segment: [(value: UInt32, combiningClass: UInt8, beginsRun: Bool)] = []

    package init() {}

    /// Puts the form C of `text` into ``output``: its beginning at least, if that has more than
    /// `limit` scalars.
    package mutating func normalize(_ text: String, limit: Int = .max) {
        normalize(text.unicodeScalars.lazy.map(\.value), limit: limit)
    }

    /// As above, of the scalars that folding made.
    package mutating func normalize(_ scalars: [UInt32], limit: Int = .max) {
        normalize(scalars[...], limit: limit)
    }

    private mutating func normalize(_ scalars: some Sequence<UInt32>, limit: Int) {
        let table = DecompositionTable.shared
        output.removeAll(keepingCapacity: true)
        segment.removeAll(keepingCapacity: true)
        for value in scalars {
            if value < 0xC0 {
                endSegment(table)
                if output.count >= limit { return }
                segment.append((value, 0, true))
                continue
            }
            // An inert scalar too: a mark that follows may belong before one that it holds.
            var beginsRun = Self.combiningClass(of: value) == 0
            for part in HangulSyllable.decomposition(of: value)
                ?? table.decomposition(of: value) ?? [value]
            {
                let combiningClass = Self.combiningClass(of: part)
                if combiningClass == 0, !table.isSecond(part), !HangulSyllable.isSecond(part) {
                    endSegment(table)
                    if output.count >= limit { return }
                }
                segment.append((part, combiningClass, beginsRun))
                beginsRun = false
            }
        }
        endSegment(table)
    }

    /// Orders and composes what was collected. Nothing that follows is composed with it.
    private mutating func endSegment(_ table: DecompositionTable) {
        if segment.count == 1 {
            output.append(segment[0].value)
        } else if segment.count > 1 {
            order()
            compose(table)
        }
        segment.removeAll(keepingCapacity: true)
    }

    /// The canonical ordering: runs of other classes than 0 by class, stably.
    ///
    /// Three Tibetan vowels have class 0 and are decomposed into marks. Swift's library, other than the
    /// standard, moves no mark over their beginning, and neither does this.
    private mutating func order() {
        var start = 0
        while start < segment.count {
            var end = start + 1
            if segment[start].combiningClass != 0 {
                while end < segment.count, segment[end].combiningClass != 0,
                    !segment[end].beginsRun
                {
                    end += 1
                }
                if end - start > 1 {
                    segment[start..<end].sort { $0.combiningClass < $1.combiningClass }
                }
            }
            start = end
        }
    }

    private mutating func compose(_ table: DecompositionTable) {
        var starter: Int?
        // The class of what was kept behind the starter: it blocks the same class and lower ones.
        var lastClass = -1
        for (value, combiningClass, _) in segment {
            if let starter, lastClass < Int(combiningClass),
                let composed = HangulSyllable.composition(output[starter], value)
                    ?? table.composition(output[starter], value)
            {
                output[starter] = composed
                continue
            }
            if combiningClass == 0 {
                starter = output.count
                lastClass = -1
            } else {
                lastClass = Int(combiningClass)
            }
            output.append(value)
        }
    }

    private static func combiningClass(of value: UInt32) -> UInt8 {
        guard value >= 0x300, let scalar = Unicode.Scalar(value) else { return 0 }
        return scalar.properties.canonicalCombiningClass.rawValue
    }

    /// Whether `value` is its own form C and is never composed with what stands before it: common
    /// blocks of which this is true as a whole, so `false` says nothing. Published blocks do not
    /// change in this (Unicode's stability policy); a test asks the running library.
    package static func isInert(_ value: UInt32) -> Bool {
        switch value {
        case 0..<0x300, 0x400...0x482, 0x48A...0x58F, 0x2002...0x20CF, 0x3041...0x3098,
            0x309B...0x9FFF, 0xAC00...0xD7A3, 0x1F000...0x1FFFF:
            true
        default: false
        }
    }

    /// Whether UTF-8 is in form C as its scalars are inert. `false` says nothing.
    package static func isInert(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let lead = bytes[offset]
            if lead < 0xCC {
                offset &+= lead < 0x80 ? 1 : 2
                continue
            }
            let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
            guard offset &+ length <= bytes.count else { return true }
            var value = UInt32(lead) & (0x7F >> UInt32(length))
            for index in 1..<length {
                value = value << 6 | UInt32(bytes[offset &+ index] & 0x3F)
            }
            if !isInert(value) { return false }
            offset &+= length
        }
        return true
    }
}

/// Hangul syllables are composed by arithmetic (The Unicode Standard, section 3.12).
enum HangulSyllable {
    private static let syllables: UInt32 = 0xAC00
    private static let leads: UInt32 = 0x1100
    private static let vowels: UInt32 = 0x1161
    private static let trails: UInt32 = 0x11A7

    /// The two or three letters of a syllable; `nil` for any other scalar.
    static func decomposition(of value: UInt32) -> [UInt32]? {
        guard value >= syllables, value < syllables + 19 * 588 else { return nil }
        let index = value - syllables
        let letters = [leads + index / 588, vowels + index % 588 / 28]
        return index % 28 == 0 ? letters : letters + [trails + index % 28]
    }

    /// Whether `value` is a vowel or a trailing consonant that is composed with what precedes it.
    static func isSecond(_ value: UInt32) -> Bool {
        vowels..<vowels + 21 ~= value || trails + 1..<trails + 28 ~= value
    }

    /// The syllable of two parts; `nil` if they are none.
    static func composition(_ first: UInt32, _ second: UInt32) -> UInt32? {
        if leads..<leads + 19 ~= first, vowels..<vowels + 21 ~= second {
            return syllables + ((first - leads) * 21 + second - vowels) * 28
        }
        if syllables..<syllables + 19 * 588 ~= first, (first - syllables) % 28 == 0,
            trails + 1..<trails + 28 ~= second
        {
            return first + second - trails
        }
        return nil
    }
}
