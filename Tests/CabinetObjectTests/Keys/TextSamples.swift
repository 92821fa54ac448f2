import TrustSupport

/// Texts that are hard to compare.
enum TextSamples {
    static let nasty = [
        "", "\0", "\0\0", "\u{1}", "\u{1}\u{1}", "\u{2}", "a", "a\0", "a\0b", "a\u{1}", "ab", "b",
        "\u{7F}",
        "\u{80}", "ÿ", "\u{2FF}", "\u{300}", "\u{301}", "é", "e\u{301}", "e\u{301}\u{323}",
        "e\u{323}\u{301}", "ẹ́", "\u{D7FF}", "\u{E000}", "\u{FFFD}", "\u{FFFF}", "\u{10000}",
        "\u{10FFFF}", "Å", "Å", "A\u{30A}", "Ω", "Ω", "각", "\u{1100}\u{1161}\u{11A8}",
        "\u{1100}\u{1161}", "\u{AC00}\u{11A8}", "\u{AC00}\u{11A7}", "가", "か\u{3099}", "が", "😀",
        "👩‍👩‍👧", "🇩🇪", "\u{344}", "\u{308}\u{301}", "\u{958}", "\u{915}\u{93C}", "\u{FB4F}",
        "\u{5D0}\u{5DC}",
        "\u{F900}", "\u{8C48}", "\u{2F800}", "\u{4E3D}", "q\u{307}\u{323}", "q\u{323}\u{307}",
        "\u{212A}",
        "\u{16D67}\u{16D67}", "\u{16D68}", "\u{11935}\u{11930}", "\u{11938}", "\u{113C5}",
        "\u{113C2}\u{113C2}", "ᾴ", "α\u{345}\u{301}", "\u{1B05}\u{1B35}", "\u{1B06}", "\r\n", "\n",
        "x\u{200D}", "\u{200B}", "’", "—", "\u{2000}", "\u{2002}",
    ]

    private static let scalars: [UInt32] = [
        0, 1, 2, 0x20, 0x2F, 0x30, 0x31, 0x39, 0x3A, 0x41, 0x5A, 0x61, 0x65, 0x7A, 0x7F, 0x80, 0xC5,
        0xE9, 0xDF,
        0x130, 0x131, 0x17F, 0x1C5, 0x2FF, 0x300, 0x301, 0x307, 0x308, 0x30A, 0x323, 0x327, 0x345,
        0x3A3, 0x3C2,
        0x3C3, 0x410, 0x430, 0x483, 0x5B0, 0x64B, 0x660, 0x66F, 0x915, 0x93C, 0x9C7, 0x9BE, 0x1100,
        0x1161,
        0x11A8, 0x11A7, 0x1161 + 20, 0x1E9E, 0x1FB3, 0x2000, 0x2019, 0x212A, 0x212B, 0x2ADC, 0x3042,
        0x304B,
        0x3099, 0x4E2D, 0xAC00, 0xAC01, 0xD7A3, 0xD7FF, 0xE000, 0xF900, 0xFB03, 0xFB1D, 0xFF11,
        0xFFFD,
        0x10400, 0x10428, 0x11099, 0x110BA, 0x11935, 0x11930, 0x113C2, 0x113C9, 0x16D63, 0x16D67,
        0x1D15E, 0x1D7DB, 0x1F600, 0x2F800, 0x10FFFF,
    ]

    /// A text of up to `longest` scalars: half of ASCII, half of hard ones.
    static func text(_ random: inout SeededRandom, longest: Int = 9) -> String {
        let pool = random.below(4)
        var text = String.UnicodeScalarView()
        for _ in 0..<random.below(longest + 1) {
            let value: UInt32 =
                switch pool {
                case 0: random.element(of: [0x30, 0x31, 0x39, 0x61, 0x41, 0x7A])
                case 1: UInt32(random.below(0x3000))
                default: random.element(of: scalars)
                }
            text.append(Unicode.Scalar(value) ?? "?")
        }
        return String(text)
    }

    /// `count` random texts and the nasty ones.
    static func texts(_ count: Int, seed: UInt64) -> [String] {
        var random = SeededRandom(seed: seed)
        return nasty + (0..<count).map { _ in text(&random) }
    }
}
