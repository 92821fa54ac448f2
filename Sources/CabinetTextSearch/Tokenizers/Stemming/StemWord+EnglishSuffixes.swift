/// The later steps: suffixes that make words of words.
extension StemWord {
    /// What suffixes in the first region become: the second step, and then the third.
    mutating func replaceSuffixes() {
        if let rule = rule(Self.derivations), start(count(rule.suffix)) >= first {
            replaceDerivation(rule)
        }
        guard let rule = rule(Self.relations), start(count(rule.suffix)) >= first else { return }
        if rule.suffix.utf8CodeUnitCount == 5, ends(in: "ative"), start(5) < second { return }
        drop(count(rule.suffix))
        append(rule.replacement)
    }

    private typealias Rule = (suffix: StaticString, replacement: StaticString)

    private func rule(_ rules: [Rule]) -> Rule? { rules.first { ends(in: $0.suffix) } }

    private mutating func replaceDerivation(_ rule: Rule) {
        let length = count(rule.suffix)
        if ends(in: "ogi"), length == 3 {
            guard letters.count > 3, letters[letters.count - 4] == 0x6C else { return }
        } else if length == 2 {
            let before: [UInt8] = [0x63, 0x64, 0x65, 0x67, 0x68, 0x6B, 0x6D, 0x6E, 0x72, 0x74]
            guard letters.count > 2, before.contains(where: { letters[start(3)] == UInt32($0) })
            else { return }
        }
        drop(length)
        append(rule.replacement)
    }

    /// Longer suffixes first.
    private static let derivations: [Rule] = [
        ("ational", "ate"), ("fulness", "ful"), ("iveness", "ive"), ("ization", "ize"),
        ("ousness", "ous"), ("biliti", "ble"), ("lessli", "less"), ("tional", "tion"),
        ("alism", "al"), ("aliti", "al"), ("ation", "ate"), ("entli", "ent"), ("fulli", "ful"),
        ("iviti", "ive"), ("ousli", "ous"), ("ogist", "og"), ("abli", "able"), ("alli", "al"),
        ("anci", "ance"), ("ator", "ate"), ("enci", "ence"), ("izer", "ize"), ("bli", "ble"),
        ("ogi", "og"), ("li", ""),
    ]

    private static let relations: [Rule] = [
        ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("ative", ""), ("icate", "ic"),
        ("iciti", "ic"), ("ical", "ic"), ("ness", ""), ("ful", ""),
    ]

    private static let endings: [StaticString] = [
        "ement", "able", "ance", "ence", "ible", "ment", "ant", "ate", "ent", "ion", "ism", "iti",
        "ive", "ize", "ous", "al", "er", "ic",
    ]

    /// The fourth step: suffixes in the second region.
    mutating func dropSuffixes() {
        guard let suffix = ending(Self.endings), start(count(suffix)) >= second else { return }
        if ends(in: "ion") {
            guard letters.count > 3, [0x73, 0x74].contains(letters[start(4)]) else { return }
        }
        drop(count(suffix))
    }

    /// The fifth step: a final `e`, and one of two `l`.
    mutating func dropFinalLetter() {
        let end = letters.count - 1
        if ends(in: "e") {
            if end >= second || end >= first && !isShort(upTo: end) { drop(1) }
        } else if ends(in: "ll"), end >= second {
            drop(1)
        }
    }
}
