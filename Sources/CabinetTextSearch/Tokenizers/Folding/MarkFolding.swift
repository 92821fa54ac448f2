/// Which marks are left out of terms.
enum MarkFolding {
    /// Whether folding drops `scalar`, which stands in a canonical decomposition.
    ///
    /// The canonical combining class separates accents from letters written as marks. Dropped are
    /// nonspacing marks of the classes
    /// - 1, overlays, and 202 to 240, above and below: accents of Latin, Greek and Cyrillic, the hamza
    ///   and the madda of Arabic, tone marks of Vedic, N'Ko and Tai Tham;
    /// - 7, the nukta of Indic scripts, which Hindi leaves out often, but not Myanmar's U+1037, a tone;
    /// - 10 to 36: points of Hebrew, the harakat of Arabic, of Syriac.
    ///
    /// Kept are the vowel signs of Hindi and its relatives and of Thaana (class 0), the virama (9), the
    /// voiced sounds of kana (8), and vowels and tones of Thai, Lao and Tibetan (103 to 132). Enclosing
    /// marks, the tatweel of Arabic and the skin tones of emoji are dropped too.
    static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x300, 0x1037: return false
        case 0x640, 0x1F3FB...0x1F3FF: return true
        default: break
        }
        let properties = scalar.properties
        if properties.generalCategory == .enclosingMark { return true }
        guard properties.generalCategory == .nonspacingMark else { return false }
        switch properties.canonicalCombiningClass.rawValue {
        case 1, 7, 10...36, 202...240: return true
        default: return false
        }
    }

    /// Whether `scalar` is invisible and nothing to search for: soft hyphens, joiners, variation
    /// selectors. The tags of flags are kept: they alone tell Scotland from Wales.
    static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0xAD, 0xE0020...0xE007F: false
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
