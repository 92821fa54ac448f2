/// What the rules of word boundaries say of a scalar: the property `Word_Break` of Unicode Standard
/// Annex 29, section 4.1, as far as the tokenizer needs it.
///
/// The annex derives it from others. Swift's standard library has the general category, and whether
/// a scalar is alphabetic, extends a grapheme, is ideographic or an emoji. It lacks `Script` and
/// line breaking, for which ranges of Unicode 16 stand here: scalars of scripts newer than the
/// running library are separators.
enum WordClass: UInt8, Sendable {
    /// Ends a word and belongs to none.
    case separator
    case letter
    case hebrew
    case numeric
    /// Joins letters, digits and itself, as `_` does.
    case connector
    /// `Extend`, `Format` and `ZWJ`: belongs to what stands before it.
    case extend
    /// Joins letters: `:`, `·`.
    case midLetter
    /// Joins digits: `,`, `;`.
    case midNumber
    /// Joins letters or digits: `.`, `’`.
    case midBoth
    /// `'`: joins letters or digits, and ends Hebrew words.
    case apostrophe
    /// `"`: joins Hebrew letters.
    case quote
    /// A scalar of a script that writes no spaces, or of Hangul: a place of its own.
    case unit
    case regional
    case pictograph

    /// The class of `value`; ``separator`` for what is no scalar.
    static func of(_ value: UInt32) -> WordClass {
        guard value < tableEnd else { return outsideTable(value) }
        return WordClass(rawValue: UInt8(truncatingIfNeeded: table[value])) ?? .separator
    }

    private static let tableEnd: UInt32 = 0x3100
    private static let table = ScalarTable(end: tableEnd) { UInt32(derived($0).rawValue) }

    /// Common blocks first: asking the library for properties takes a tenth of a microsecond.
    private static func outsideTable(_ value: UInt32) -> WordClass {
        switch value {
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3: .unit
        default: derived(value)
        }
    }

    /// The class by the properties that the running library knows.
    private static func derived(_ value: UInt32) -> WordClass {
        guard let scalar = Unicode.Scalar(value) else { return .separator }
        if let fixed = fixed(value) { return fixed }
        let properties = scalar.properties
        let category = properties.generalCategory
        if properties.isIdeographic { return .unit }
        if isUnspaced(value),
            properties.isAlphabetic || properties.isGraphemeExtend
                || category == .spacingMark
        {
            return .unit
        }
        if properties.isGraphemeExtend || properties.isEmojiModifier { return .extend }
        switch category {
        case .spacingMark, .format: return .extend
        case .decimalNumber: return .numeric
        case .connectorPunctuation: return .connector
        default: break
        }
        if properties.isAlphabetic { return isHebrew(value) ? .hebrew : .letter }
        return properties.isEmoji && value >= 0x2300 ? .pictograph : .separator
    }
}
