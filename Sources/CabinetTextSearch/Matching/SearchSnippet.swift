import Foundation

/// A part of a text with the words that a search found in it. `Sendable`: a value.
public struct SearchSnippet: Sendable, Hashable {
    /// The part. Where it leaves something out, it begins or ends with `…`; ends of lines are spaces.
    public let text: String
    /// What was found, in ``text``: whole characters, by where they begin, none of which touch.
    public let ranges: [Range<String.Index>]

    /// The text, with ``FoundTextAttribute`` on what was found; on Apple's systems that is strongly
    /// emphasised too, which the Foundation of other systems has no attribute for.
    public var attributedText: AttributedString {
        var whole = AttributedString()
        var end = text.startIndex
        for range in ranges {
            whole += AttributedString(String(text[end..<range.lowerBound]))
            var found = AttributedString(String(text[range]))
            found[FoundTextAttribute.self] = true
            #if canImport(Darwin)
                found.inlinePresentationIntent = .stronglyEmphasized
            #endif
            whole += found
            end = range.upperBound
        }
        return whole + AttributedString(String(text[end...]))
    }
}

extension SearchSnippet: CustomStringConvertible {
    /// ``text``.
    public var description: String { text }
}

/// Marks what a search found in an `AttributedString`.
public enum FoundTextAttribute: AttributedStringKey {
    /// `true` where a search found something.
    public typealias Value = Bool
    /// What encoders know the attribute by.
    public static let name = "Cabinet.FoundText"
}

extension SearchSnippet {
    /// How many places of a text are considered.
    private static let placeLimit = 1000

    /// The part of `text`, of about `length` characters, in which most was found.
    ///
    /// The beginning of the text if nothing was. Words are not cut if there are spaces between them.
    /// - Parameter found: what was found, by where it begins, without overlaps.
    package init(_ text: String, _ found: [Range<String.Index>], length: Int) {
        let length = max(length, 1)
        let part = Self.part(of: text, found, length)
        var shown = part.lowerBound > text.startIndex ? "…" : ""
        var offsets: [Range<Int>] = []
        var end = part.lowerBound
        for range in found where range.overlaps(part) {
            let range = range.clamped(to: part)
            shown += Self.oneLine(text[end..<range.lowerBound])
            let start = shown.utf8.count
            shown += Self.oneLine(text[range])
            offsets.append(start..<shown.utf8.count)
            end = range.upperBound
        }
        shown += Self.oneLine(text[end..<part.upperBound])
        if part.upperBound < text.endIndex { shown += "…" }
        self.text = shown
        // A space in place of the end of a line may join what follows it.
        ranges = FoundRanges.ofCharacters(in: shown, offsets)
    }

    private static func oneLine(_ text: Substring) -> String {
        String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    }

    private static func part(
        of text: String, _ found: [Range<String.Index>], _ length: Int
    ) -> Range<String.Index> {
        guard let core = core(of: text, found, length) else {
            let end = after(text.startIndex, length, text)
            return text.startIndex..<wordEnd(end, text, from: text.startIndex)
        }
        let used = text.distance(from: core.lowerBound, to: core.upperBound)
        let room = max(length - used, 0)
        let early = before(core.lowerBound, room / 3, text)
        let start = wordStart(early, text, to: core.lowerBound)
        let lead = text.distance(from: start, to: core.lowerBound)
        let late = after(core.upperBound, room - lead, text)
        return start..<wordEnd(late, text, from: core.upperBound)
    }

    /// From one place to another, at most `length` characters, with as much found as possible between.
    private static func core(
        of text: String, _ found: [Range<String.Index>], _ length: Int
    ) -> Range<String.Index>? {
        guard let first = found.first else { return nil }
        var best: Range<String.Index>?
        var most = 0
        // Both ends of what is looked at move forwards alone, as a text may be long.
        var limit = after(first.lowerBound, length, text)
        var start = first.lowerBound
        var next = 0
        for (index, first) in found.prefix(placeLimit).enumerated() {
            limit = after(limit, text.distance(from: start, to: first.lowerBound), text)
            start = first.lowerBound
            next = max(next, index)
            while next < found.count, found[next].upperBound <= limit { next += 1 }
            let count = next - index
            if best == nil || count > most {
                let end = count > 0 ? found[next - 1].upperBound : limit
                best = first.lowerBound..<min(end, limit)
                most = count
            }
            if limit == text.endIndex { break }
        }
        return best
    }

    private static func after(_ index: String.Index, _ count: Int, _ text: String) -> String.Index {
        text.index(index, offsetBy: count, limitedBy: text.endIndex) ?? text.endIndex
    }

    private static func before(_ index: String.Index, _ count: Int, _ text: String)
        -> String.Index
    {
        text.index(index, offsetBy: -count, limitedBy: text.startIndex) ?? text.startIndex
    }

    /// `index`, or behind the first space that follows it, up to `limit`.
    private static func wordStart(
        _ index: String.Index, _ text: String, to limit: String.Index
    ) -> String.Index {
        guard index > text.startIndex, !text[text.index(before: index)].isWhitespace else {
            return index
        }
        guard let space = text[index..<limit].firstIndex(where: \.isWhitespace) else {
            return index
        }
        return text.index(after: space)
    }

    /// `index`, or before the last space that precedes it, down to `limit`.
    private static func wordEnd(
        _ index: String.Index, _ text: String, from limit: String.Index
    ) -> String.Index {
        guard index < text.endIndex, !text[index].isWhitespace else { return index }
        return text[limit..<index].lastIndex(where: \.isWhitespace) ?? index
    }
}

extension SearchMatch {
    /// What was found in the text of a field, as whole characters.
    /// - Parameters:
    ///   - text: the text that was matched as field number `field`.
    ///   - field: the number of the field.
    package func ranges(in text: String, field: Int) -> [Range<String.Index>] {
        FoundRanges.ofCharacters(in: text, ranges[field])
    }
}
