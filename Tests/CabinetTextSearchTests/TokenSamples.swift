@testable import CabinetTextSearch

/// A term of a text with its place, as a value.
struct SampleToken: Hashable, CustomStringConvertible {
    let term: String
    let position: Int
    let range: Range<Int>

    var description: String { "\(term)@\(position)[\(range)]" }
}

extension Tokenizer {
    /// The terms of a text, as values.
    func tokens(of text: String, for purpose: TokenPurpose = .text) -> [SampleToken] {
        tokens(of: Array(text.utf8), for: purpose)
    }

    func tokens(of bytes: [UInt8], for purpose: TokenPurpose = .text) -> [SampleToken] {
        var found: [SampleToken] = []
        bytes.withUnsafeBufferPointer { bytes in
            forEachToken(in: bytes, for: purpose, TokenWorkspace()) { token in
                found.append(
                    SampleToken(
                        term: String(decoding: token.term, as: UTF8.self),
                        position: token.position, range: token.range))
            }
        }
        return found
    }

    func terms(of text: String, for purpose: TokenPurpose = .text) -> [String] {
        tokens(of: text, for: purpose).map(\.term)
    }
}

/// Texts in the scripts that every model test of search goes through.
enum ScriptSamples {
    static let texts: [String: [String]] = [
        "Latin": [
            "Dvořák: Symphonie Nr. 9 e-Moll", "Él niño, café; naïve façade",
            "Straße ﬁn ŒUVRE İzmir",
        ],
        "Cyrillic": ["Щелкунчик и Ёлка", "Край родной, мой май", "Їжак і м’ята"],
        "Greek": ["Σίσυφος ΣΊΣΥΦΟΣ", "Μίκης Θεοδωράκης: Ζορμπάς", "ᾠδή εἰς τὸν Ἀπόλλωνα"],
        "Arabic": ["العَرَبِيَّة لغة", "أم كلثوم: إنت عمري", "آه يا لـيـل ١٢٣"],
        "Hindi": ["हिन्दी क़लम", "लता मंगेशकर के गीत", "प्यार हुआ इक़रार हुआ"],
        "Thai": ["กรุงเทพมหานคร", "เพลงไทย 2024", "น้ำ ใจ"],
        "Japanese": ["東京都へ行く", "カタカナｶﾞｷﾞ２０２４", "坂本龍一の「戦場のメリークリスマス」"],
        "emoji": ["👩🏽‍🚀 ❤️ 🎵🎶", "🇩🇪🇫🇷 1️⃣ 👨‍👩‍👧", "rock🤘 roll"],
    ]

    static let words = texts.values.flatMap { $0 }.sorted()
}
