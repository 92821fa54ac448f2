/// Wide and narrow forms, by Unicode's decompositions `<wide>` and `<narrow>`, and apostrophes.
enum WidthFolding {
    /// The katakana of U+FF61 to U+FF9D, in their order there.
    private static let katakana: [UInt32] =
        "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン"
        .unicodeScalars.map(\.value)

    /// `value` in its usual width.
    static func folded(_ value: UInt32) -> UInt32 {
        switch value {
        case 0x2018, 0x2019, 0x2BC, 0xFF07: 0x27
        case 0x3000: 0x20
        case 0xFF01...0xFF5E: value - 0xFEE0
        case 0xFF61...0xFF9D: katakana[Int(value - 0xFF61)]
        // The marks of voiced sounds are composed with the letter before.
        case 0xFF9E: 0x3099
        case 0xFF9F: 0x309A
        case 0xFFA0: 0x3164
        case 0xFFA1...0xFFBE: value - 0xFFA1 + 0x3131
        case 0xFFC2...0xFFC7: value - 0xFFC2 + 0x314F
        case 0xFFCA...0xFFCF: value - 0xFFCA + 0x3155
        case 0xFFD2...0xFFD7: value - 0xFFD2 + 0x315B
        case 0xFFDA...0xFFDC: value - 0xFFDA + 0x3161
        case 0xFFE0...0xFFE1: value - 0xFFE0 + 0xA2
        case 0xFFE2: 0xAC
        case 0xFFE4: 0xA6
        case 0xFFE5: 0xA5
        case 0xFFE6: 0x20A9
        default: value
        }
    }
}
