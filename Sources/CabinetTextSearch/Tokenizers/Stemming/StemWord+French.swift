/// The stemmer for French (snowballstem.org/algorithms/french/stemmer.html).
extension StemWord {
    mutating func stemFrench() {
        dropElision()
        markFrenchConsonants()
        let verbs = findFrenchRegions()
        if dropFrenchSuffix(verbs) || dropFrenchVerbInI(verbs) || dropFrenchVerb(verbs) {
            if letters.last == 0x59 {
                letters[letters.count - 1] = 0x69
            } else if letters.last == 0xE7 {
                letters[letters.count - 1] = 0x63
            }
        } else {
            dropFrenchResidue(verbs)
        }
        if ending(["eill", "enn", "onn", "ett", "ell"]) != nil { drop(1) }
        dropLastAccent()
        restoreFrench()
    }

    static func isFrenchVowel(_ letter: UInt32) -> Bool {
        switch letter {
        case 0x61, 0x65, 0x69, 0x6F, 0x75, 0x79, 0xE0, 0xE2, 0xE8...0xEB, 0xEE, 0xEF, 0xF4, 0xF9,
            0xFB:
            true
        default: false
        }
    }

    /// `l'`, `qu'` and their like.
    private mutating func dropElision() {
        guard let mark = letters.firstIndex(of: Self.apostrophe), mark < letters.count - 1 else {
            return
        }
        let isOne =
            mark == 1 && [0x63, 0x64, 0x6A, 0x6C, 0x6D, 0x6E, 0x73, 0x74].contains(letters[0])
        if isOne || mark == 2 && begins(with: "qu") { letters.removeFirst(mark + 1) }
    }

    /// What is no vowel becomes a capital: `u` and `i` between vowels and behind `q`, `y` beside a vowel. `ë`
    /// and `ï` begin with an `H`.
    private mutating func markFrenchConsonants() {
        var marked: [UInt32] = []
        let source = letters
        for (index, letter) in source.enumerated() {
            let isBehind = marked.last.map(Self.isFrenchVowel) ?? false
            let isBefore = index + 1 < source.count && Self.isFrenchVowel(source[index + 1])
            switch letter {
            case 0x75:
                let isConsonant = isBehind && isBefore || marked.last == 0x71
                marked.append(isConsonant ? 0x55 : letter)
            case 0x69: marked.append(isBehind && isBefore ? 0x49 : letter)
            case 0x79: marked.append(isBehind || isBefore ? 0x59 : letter)
            case 0xEB: marked += [0x48, 0x65]
            case 0xEF: marked += [0x48, 0x69]
            default: marked.append(letter)
            }
        }
        letters = marked
    }

    private mutating func restoreFrench() {
        var restored: [UInt32] = []
        var index = 0
        while index < letters.count {
            let letter = letters[index]
            let next = index + 1 < letters.count ? letters[index + 1] : 0
            index += 1
            switch letter {
            case 0x55: restored.append(0x75)
            case 0x49: restored.append(0x69)
            case 0x59: restored.append(0x79)
            case 0x48 where next == 0x65 || next == 0x69:
                restored.append(next == 0x65 ? 0xEB : 0xEF)
                index += 1
            case 0x48: break
            default: restored.append(letter)
            }
        }
        letters = restored
    }

    /// - Returns: where the region of verbs begins.
    private mutating func findFrenchRegions() -> Int {
        first = region(from: 0, Self.isFrenchVowel)
        second = region(from: first, Self.isFrenchVowel)
        guard letters.count >= 3 else { return letters.count }
        if Self.isFrenchVowel(letters[0]), Self.isFrenchVowel(letters[1]) { return 3 }
        if begins(with: "par") || begins(with: "col") || begins(with: "tap") { return 3 }
        if begins(with: "ni"), Self.isFrenchVowel(letters[2]) { return 3 }
        let vowel = letters.indices.dropFirst().first { Self.isFrenchVowel(letters[$0]) }
        return vowel.map { $0 + 1 } ?? letters.count
    }

    /// `é` and `è` before the consonants at the end become `e`.
    private mutating func dropLastAccent() {
        guard let index = letters.lastIndex(where: Self.isFrenchVowel), index < letters.count - 1,
            letters[index] == 0xE9 || letters[index] == 0xE8
        else { return }
        letters[index] = 0x65
    }
}
