/// The stemmer for German (snowballstem.org/algorithms/german/stemmer.html), which reads `ae`, `oe`
/// and `ue` as umlauts.
extension StemWord {
    mutating func stemGerman() {
        prepareGerman()
        findGermanRegions()
        dropGermanPlural()
        dropGermanComparison()
        dropGermanSuffix()
        for index in letters.indices { letters[index] = Self.germanPlain(letters[index]) }
    }

    /// `u` and `y` between vowels become capitals, which are consonants.
    private mutating func prepareGerman() {
        for index in letters.indices.dropFirst().dropLast()
        where Self.isGermanVowel(letters[index - 1]) && Self.isGermanVowel(letters[index + 1]) {
            if letters[index] == 0x75 { letters[index] = 0x55 }
            if letters[index] == 0x79 { letters[index] = 0x59 }
        }
        joinUmlauts()
    }

    /// `ae`, `oe`, and `ue` but behind `q`.
    private mutating func joinUmlauts() {
        var joined = 0
        var index = 0
        while index < letters.count {
            var letter = letters[index]
            let isBeforeE = index + 1 < letters.count && letters[index + 1] == 0x65
            let isBehindQ = index > 0 && letters[index - 1] == 0x71
            if isBeforeE, [0x61, 0x6F, 0x75].contains(letter), letter != 0x75 || !isBehindQ {
                letter = letter == 0x61 ? 0xE4 : letter == 0x6F ? 0xF6 : 0xFC
                index += 1
            }
            letters[joined] = letter
            joined += 1
            index += 1
        }
        drop(letters.count - joined)
    }

    private static func isGermanVowel(_ letter: UInt32) -> Bool {
        switch letter {
        case 0x61, 0x65, 0x69, 0x6F, 0x75, 0x79, 0xE4, 0xF6, 0xFC: true
        default: false
        }
    }

    private static func germanPlain(_ letter: UInt32) -> UInt32 {
        switch letter {
        case 0x55: 0x75
        case 0x59: 0x79
        case 0xE4: 0x61
        case 0xF6: 0x6F
        case 0xFC: 0x75
        default: letter
        }
    }

    /// The first region begins behind the third letter at the earliest.
    private mutating func findGermanRegions() {
        first = region(from: 0, Self.isGermanVowel)
        second = region(from: first, Self.isGermanVowel)
        first = max(first, min(3, letters.count))
    }

    private mutating func dropGermanPlural() {
        let suffixes: [StaticString] = [
            "erinnen", "erin", "ern", "lns", "em", "en", "er", "es", "ln", "e", "s",
        ]
        guard let suffix = ending(suffixes) else { return }
        let length = count(suffix)
        guard start(length) >= first else { return }
        if length == 1, suffix.utf8Start[0] == UInt8(ascii: "s") {
            guard isBehind("bdfghklmnrt", 2) else { return }
        }
        if length == 2, ends(in: "em"), start(6) >= 0, matchesAt(start(6), "syst") { return }
        drop(length)
        if suffix.utf8Start[0] == UInt8(ascii: "l") { append("l") }
        let last = suffix.utf8Start[length - 1]
        let isShort = length == 1 || length == 2 && [0x6E, 0x73].contains(last)
        if isShort, suffix.utf8Start[0] == UInt8(ascii: "e"), ends(in: "niss") { drop(1) }
    }

    private mutating func dropGermanComparison() {
        guard let suffix = ending(["est", "en", "er", "et", "st"]) else { return }
        let length = count(suffix)
        guard start(length) >= first else { return }
        if ends(in: "st"), length == 2 {
            guard letters.count >= 6, isBehind("bdfghklmnt", 3) else { return }
        }
        if ends(in: "et") {
            guard isBehind("Udfgklmnrstzä", 3) else { return }
            let names: [StaticString] = ["geordn", "intern", "tick", "plan", "tr"]
            if names.contains(where: { matchesBefore($0, 2) }) { return }
        }
        drop(length)
    }

    func matchesBefore(_ text: StaticString, _ length: Int) -> Bool {
        let offset = start(length) - count(text)
        return offset >= 0 && matchesAt(offset, text)
    }

    private func matchesAt(_ offset: Int, _ text: StaticString) -> Bool {
        guard offset + count(text) <= letters.count else { return false }
        for index in 0..<count(text)
        where letters[offset + index] != UInt32(text.utf8Start[index]) {
            return false
        }
        return true
    }

    /// Whether the letter `distance` before the end is one of `allowed`.
    func isBehind(_ allowed: String, _ distance: Int) -> Bool {
        guard letters.count >= distance else { return false }
        return allowed.unicodeScalars.contains { $0.value == letters[start(distance)] }
    }
}
