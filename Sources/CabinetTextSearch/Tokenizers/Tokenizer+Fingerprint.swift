import CabinetBackend

extension Tokenizer {
    /// A sum over the terms of fixed probe texts, by which a store notices that a tokenizer has changed
    /// under its name and version, as after an update of Unicode's tables.
    ///
    /// FNV-1a, 64 bits (Fowler, Noll and Vo). Takes some 100 µs; for a built-in tokenizer, a process does
    /// that once. A change that touches no probe is not noticed. Stop words count.
    public var fingerprint: UInt64 {
        if case .own = method { return computedFingerprint }
        if let known = Self.fingerprints.withLock({ $0[self] }) { return known }
        let made = computedFingerprint
        Self.fingerprints.withLock { $0[self] = made }
        return made
    }

    /// Those of built-in tokenizers, which do not change while a process runs.
    private static let fingerprints = Guarded<[Tokenizer: UInt64]>([:])

    private var computedFingerprint: UInt64 {
        var sum = TermSet.sum(UnsafeRawBufferPointer(start: nil, count: 0))
        let workspace = TokenWorkspace()
        for purpose in [TokenPurpose.text, .query] {
            for text in Self.probes {
                forEachToken(in: text, for: purpose, workspace) { token in
                    sum = TermSet.sum(token.term, sum)
                    let place = [token.position, token.range.lowerBound, token.range.upperBound]
                    for number in place { sum = Self.add(number, to: sum) }
                }
                sum = Self.add(0xFF, to: sum)
            }
        }
        for term in stopWords.terms {
            sum = Self.add(0xFF, to: term.withUnsafeBytes { TermSet.sum($0, sum) })
        }
        return sum
    }

    private static func add(_ number: Int, to sum: UInt64) -> UInt64 {
        withUnsafeBytes(of: UInt64(number).littleEndian) { TermSet.sum($0, sum) }
    }

    /// Those of collations, as the folding is the same, and texts with every rule of word boundaries,
    /// every kind of script and of suffix. They never change.
    static let probes: [String] =
        Collation.probes + [
            "Don't stop 3.14 1,000 a.b a:b 5:6 _a__1_ e.g. C++", "l’été dernier", "צ\"ל צ'",
            "東京都へ行くカタカナｶﾞｷﾞ", "서울특별시", "กรุงเทพมหานคร", "မြန်မာ ភាសាខ្មែរ ພາສາລາວ",
            "हिन्दी क़लम", "العَرَبِيَّة أإآ ـلـ", "שָׁלוֹם", "👩🏽‍🚀 ❤️ 🇩🇪🇫🇷 1️⃣ 🏴󠁧󠁢󠁳󠁣󠁴󠁿", "Ⅻ ½ x² ﬁn ŒUVRE",
            "running ponies nationalization generously happily hopping",
            "Häuser schönsten Freundlichkeit",
            "continuellement françaises généralités l'éclair", "\u{1E4D0}\u{1E4EB}",
            "\u{105D2}\u{307}b", "\u{10D4A}", "\u{16D40}", "ـ 1︐000 ㌔㋐ \u{11740}",
        ]
}
