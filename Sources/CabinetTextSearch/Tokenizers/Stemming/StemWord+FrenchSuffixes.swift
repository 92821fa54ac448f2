extension StemWord {
    private static let suffixes = EndingList(
        "ance iqUe isme able iste eux ances iqUes ismes ables istes",
        "atrice ateur ation atrices ateurs ations",
        "logie logies", "usion ution usions utions", "ence ences", "ement ements", "ité ités",
        "if ive ifs ives", "eaux", "aux", "euse euses", "issement issements", "amment", "emment",
        "ment ments", "oux")

    /// Suffixes that make words of words. `false` if none was dropped, and for adverbs, which can end as
    /// verbs do.
    mutating func dropFrenchSuffix(_ verbs: Int) -> Bool {
        guard let (length, group) = Self.suffixes.longest(in: letters) else { return false }
        let start = start(length)
        switch group {
        case 0: return replaceEnding(length, "", in: second)
        case 1:
            guard replaceEnding(length, "", in: second) else { return false }
            if ends(in: "ic") {
                _ = replaceEnding(2, "", in: second) || replaceEnding(2, "iqU", in: 0)
            }
            return true
        case 2: return replaceEnding(length, "log", in: second)
        case 3: return replaceEnding(length, "u", in: second)
        case 4: return replaceEnding(length, "ent", in: second)
        case 5:
            guard replaceEnding(length, "", in: verbs) else { return false }
            dropBeforeEment(verbs)
            return true
        case 6:
            guard replaceEnding(length, "", in: second) else { return false }
            if ends(in: "abil") {
                _ = replaceEnding(4, "", in: second) || replaceEnding(4, "abl", in: 0)
            } else if ends(in: "ic") {
                _ = replaceEnding(2, "", in: second) || replaceEnding(2, "iqU", in: 0)
            } else if ends(in: "iv") {
                _ = replaceEnding(2, "", in: second)
            }
            return true
        case 7:
            guard replaceEnding(length, "", in: second) else { return false }
            if ends(in: "at"), replaceEnding(2, "", in: second), ends(in: "ic") {
                _ = replaceEnding(2, "", in: second) || replaceEnding(2, "iqU", in: 0)
            }
            return true
        case 8: return replaceEnding(length, "eau", in: 0)
        case 9: return replaceEnding(length, "al", in: first)
        case 10:
            return replaceEnding(length, "", in: second) || replaceEnding(length, "eux", in: first)
        case 11:
            guard start > 0, !Self.isFrenchVowel(letters[start - 1]) else { return false }
            return replaceEnding(length, "", in: first)
        case 12: _ = replaceEnding(length, "ant", in: verbs)
        case 13: _ = replaceEnding(length, "ent", in: verbs)
        case 14:
            if start - 1 >= verbs, Self.isFrenchVowel(letters[start - 1]) { drop(length) }
        default:
            let before: [UInt32] = [0x62, 0x68, 0x6A, 0x6C, 0x6E, 0x70]
            guard start > 0, before.contains(letters[start - 1]) else { return false }
            return replaceEnding(length, "ou", in: 0)
        }
        return false
    }

    /// Replaces the last `length` letters if they lie in the region that begins at `region`.
    private mutating func replaceEnding(
        _ length: Int, _ replacement: StaticString, in region: Int
    ) -> Bool {
        guard start(length) >= region else { return false }
        drop(length)
        append(replacement)
        return true
    }

    private mutating func dropBeforeEment(_ verbs: Int) {
        if ends(in: "iv") {
            if replaceEnding(2, "", in: second), ends(in: "at") {
                _ = replaceEnding(2, "", in: second)
            }
        } else if ends(in: "eus") {
            _ = replaceEnding(3, "", in: second) || replaceEnding(3, "eux", in: first)
        } else if ends(in: "abl") || ends(in: "iqU") {
            _ = replaceEnding(3, "", in: second)
        } else if letters.count >= 3, letters[start(2)] == 0xE8, letters.last == 0x72,
            letters[start(3)] == 0x69 || letters[start(3)] == 0x49
        {
            _ = replaceEnding(3, "i", in: verbs)
        }
    }
}
