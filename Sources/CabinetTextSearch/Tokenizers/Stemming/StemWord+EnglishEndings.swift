/// The first steps: plurals, pasts, participles.
extension StemWord {
    mutating func dropPossessive() {
        if let suffix = ending(["'s'", "'s", "'"]) { drop(count(suffix)) }
    }

    mutating func dropPlural() {
        if ends(in: "sses") {
            drop(2)
        } else if ends(in: "ied") || ends(in: "ies") {
            drop(letters.count > 4 ? 2 : 1)
        } else if ends(in: "us") || ends(in: "ss") {
            return
        } else if ends(in: "s"), hasVowel(before: letters.count - 2) {
            drop(1)
        }
    }

    mutating func dropPast() {
        guard let suffix = ending(["eedly", "ingly", "edly", "eed", "ing", "ed"]) else { return }
        let length = count(suffix)
        let start = start(length)
        if suffix.utf8Start[0] == UInt8(ascii: "e"), suffix.utf8Start[1] == UInt8(ascii: "e") {
            let stays = start >= 0 && ["proc", "exc", "succ"].contains { stemIs($0, start) }
            if start >= first, !stays { drop(length - 2) }
            return
        }
        if suffix.utf8CodeUnitCount == 3, start == 2, letters[1] == Self.vowelY {
            // `dying` is a form of `die`.
            drop(4)
            append("ie")
        } else if hasVowel(before: start), !isName(start, suffix) {
            drop(length)
            repairStem()
        }
    }

    private func stemIs(_ stem: StaticString, _ start: Int) -> Bool {
        start == count(stem) && begins(with: stem)
    }

    /// `inning`, `outing`, `canning`, `herring`, `earring`, `evening` are no participles.
    private func isName(_ start: Int, _ suffix: StaticString) -> Bool {
        guard suffix.utf8CodeUnitCount == 3 else { return false }
        return ["inn", "out", "cann", "herr", "earr", "even"].contains { stemIs($0, start) }
    }

    /// What is left of a past may lack its `e` or have a letter too many.
    private mutating func repairStem() {
        if ends(in: "at") || ends(in: "bl") || ends(in: "iz") {
            append("e")
        } else if ending(["bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"]) != nil {
            let stays = letters.count == 3 && [0x61, 0x65, 0x6F].contains(letters[0])
            if !stays { drop(1) }
        } else if first >= letters.count, isShort(upTo: letters.count) {
            append("e")
        }
    }

    mutating func replaceFinalY() {
        guard letters.count > 2, let last = letters.last,
            last == Self.vowelY || last == Self.consonantY, !isVowel(at: letters.count - 2)
        else { return }
        drop(1)
        append("i")
    }
}
