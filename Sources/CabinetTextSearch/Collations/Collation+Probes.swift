extension Collation {
    /// Every kind of text that a built-in collation treats in its own way, and of the latest Unicode
    /// versions what is composed, ordered, folded or a digit there. They never change.
    package static let probes: [String] = [
        "", " ", "\0", "\u{1}a", "0", "00", "7", "07", "10", "9", "Track 9", "Track 10",
        "track 010",
        "a", "A", "z", "Z", "_", "~", "+49 (30) 901820", "1.5e10", "x000000000000000000000001",
        "é", "e\u{301}", "É", "Straße", "STRASSE", "ẞ", "ﬃ", "ſ", "K", "Å", "Ω", "µ", "İ", "ı", "ǅ",
        "ŉ",
        "Σίσυφος", "ΣΊΣΥΦΟΣ", "ᾴ", "α\u{345}\u{301}", "ΰ", "Ⅳ", "ⓐ", "Жук", "ᏣᎳᎩ", "ꭰ", "ა", "Ა",
        "q\u{307}\u{323}", "q\u{323}\u{307}", "ụ̈", "\u{344}", "\u{958}", "\u{FB4F}", "\u{2ADC}",
        "각", "\u{1100}\u{1161}\u{11A8}", "か\u{3099}", "豈", "\u{2F800}", "漢字", "٣", "३", "３", "𝟛",
        "😀", "👩‍👩‍👧", "🇩🇪", "\u{FFFD}", "\u{E000}", "\u{10FFFF}",
        // What Unicode 13 to 17 brought: compositions, classes, cases, digits.
        "\u{11935}\u{11930}", "a\u{1ABF}\u{323}", "\u{A7C7}", "\u{11950}", "\u{10570}", "\u{2C2F}",
        "a\u{1DFA}\u{301}", "\u{11F50}", "a\u{10EFD}\u{301}", "\u{1E4F0}", "\u{11382}\u{113C9}",
        "\u{105D2}\u{307}", "\u{1611E}\u{1611E}", "\u{16D67}\u{16D67}", "\u{10D50}", "\u{A7DC}",
        "\u{A7CB}", "\u{1CCF0}", "a\u{10EFC}\u{323}", "a\u{1ACF}\u{323}", "\u{16EA0}", "\u{A7CE}",
        "\u{11DE0}",
    ]
}
