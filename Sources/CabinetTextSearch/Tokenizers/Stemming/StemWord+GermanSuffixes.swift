extension StemWord {
    /// Suffixes in the second region, with what may stand before them in the first.
    mutating func dropGermanSuffix() {
        let suffixes: [StaticString] = [
            "isch", "lich", "heit", "keit", "end", "ung", "ig", "ik",
        ]
        guard let suffix = ending(suffixes), start(count(suffix)) >= second else { return }
        let length = count(suffix)
        switch length {
        case 3:
            drop(3)
            if ends(in: "ig"), start(2) >= second, !isBehind("e", 3) { drop(2) }
        case 2: if !isBehind("e", 3) { drop(2) }
        default:
            if ends(in: "isch") {
                if !isBehind("e", 5) { drop(4) }
            } else if ends(in: "keit") {
                drop(4)
                if ends(in: "lich"), start(4) >= second {
                    drop(4)
                } else if ends(in: "ig"), start(2) >= second {
                    drop(2)
                }
            } else {
                drop(4)
                if ends(in: "er") || ends(in: "en"), start(2) >= first { drop(2) }
            }
        }
    }
}
