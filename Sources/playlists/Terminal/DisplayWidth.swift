/// How many columns text takes on a terminal.
///
/// Ranges are the wide and full-width ones of Unicode Standard Annex #11, in blocks; emoji are
/// wide where Unicode shows them as pictures.
enum DisplayWidth {
    static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// 0, 1 or 2.
    static func columns(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        let isPicture = character.unicodeScalars.contains { scalar in
            scalar.properties.isEmojiPresentation || scalar == "\u{FE0F}"
        }
        return isPicture || isWide(first) ? 2 : 1
    }

    /// The longest start of `text` within `columns`, ended with "…" if something was cut.
    static func fitted(_ text: String, to columns: Int) -> String {
        if self.columns(of: text) <= columns { return text }
        var result = ""
        var used = 0
        for character in text {
            let width = self.columns(of: character)
            if used + width > columns - 1 { break }
            result.append(character)
            used += width
        }
        return columns > 0 ? result + "…" : ""
    }

    /// `text` on one line, without characters that steer a terminal: a song's title must not be
    /// able to move the cursor.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: steers) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            result.unicodeScalars.append(steers(scalar) ? "\u{FFFD}" : scalar)
        }
        return result
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F: true
        // Line and paragraph separators, and marks that turn the direction of what follows.
        case 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18CFF, 0x1B000...0x1B2FF,
            0x1F200...0x1F265, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
