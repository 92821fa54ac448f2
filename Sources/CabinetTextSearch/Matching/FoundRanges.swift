/// Makes ranges of a text of the bytes that were found in it.
package enum FoundRanges {
    /// The characters with some bytes of `text`: ranges that touch are one.
    ///
    /// A term may be a part of a character, such as a scalar of an emoji, or a letter without its vowel sign.
    /// Takes time in proportion to the text at most, for any characters.
    /// - Parameters:
    ///   - text: the text.
    ///   - found: offsets of UTF-8, by where they begin, without overlaps.
    package static func ofCharacters(
        in text: String, _ found: [Range<Int>]
    ) -> [Range<String.Index>] {
        var walk = CharacterWalk(text)
        var ranges: [Range<String.Index>] = []
        for range in found where !range.isEmpty {
            let lower = walk.character(around: range.lowerBound).lowerBound
            let upper = walk.character(around: range.upperBound).upperBound
            if let last = ranges.last, lower <= last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, upper)
            } else {
                ranges.append(lower..<upper)
            }
        }
        return ranges
    }
}

/// Finds the characters that bytes of a text are in, from front to back.
private struct CharacterWalk {
    private let text: String
    private let bytes: String.UTF8View
    /// The last character that was looked at, or no more than its beginning.
    private var character: Range<String.Index>

    init(_ text: String) {
        self.text = text
        bytes = text.utf8
        character = text.startIndex..<text.startIndex
    }

    /// The character that byte `offset` is in, or an empty range if the byte is the first of one.
    /// `offset` does not decrease from call to call.
    mutating func character(around offset: Int) -> Range<String.Index> {
        let place = bytes.index(bytes.startIndex, offsetBy: offset)
        if !character.contains(place) { move(to: place) }
        if place == character.lowerBound { return character.lowerBound..<character.lowerBound }
        return place == text.endIndex ? place..<place : character
    }

    private mutating func move(to place: String.Index) {
        var start = place
        while start > character.upperBound, !isBetweenCharacters(start) {
            start = bytes.index(before: start)
        }
        // An index that the text has given knows to be the first of a character: no look back is needed.
        character =
            start > character.upperBound
            ? start..<start : character.upperBound..<character.upperBound
        while character.upperBound <= place, character.upperBound < text.endIndex {
            character = character.upperBound..<text.index(after: character.upperBound)
        }
    }

    /// Whether the bytes beside `place` tell that a character ends there: those of ASCII are characters, but
    /// for CR LF.
    private func isBetweenCharacters(_ place: String.Index) -> Bool {
        guard place > text.startIndex, place < text.endIndex else { return false }
        let (one, other) = (bytes[bytes.index(before: place)], bytes[place])
        return one < 0x80 && other < 0x80 && (one != 0x0D || other != 0x0A)
    }
}
