extension StemWord {
    private static let inI = EndingList(
        """
        îmes ît îtes i ie Ie ies ir ira irai iraIent irais irait iras irent irez iriez irions irons \
        iront is issaIent issais issait issant issante issantes issants isse issent isses issez issiez \
        issions issons it
        """)

    /// Endings of verbs that begin with `i`, behind a consonant.
    mutating func dropFrenchVerbInI(_ verbs: Int) -> Bool {
        guard let (length, _) = Self.inI.longest(in: letters, from: verbs) else { return false }
        let before = start(length) - 1
        guard before >= verbs, !Self.isFrenchVowel(letters[before]), letters[before] != 0x48 else {
            return false
        }
        drop(length)
        return true
    }

    private static let inOthers = EndingList(
        "ions",
        "é ée ées és èrent er era erai eraIent erais erait eras erez eriez erions erons eront ez iez",
        """
        âmes ât âtes a ai aIent ais aise aises ait ant ante antes ants as asse assent asses assiez assions
        """)

    mutating func dropFrenchVerb(_ verbs: Int) -> Bool {
        guard let (length, group) = Self.inOthers.longest(in: letters, from: verbs) else {
            return false
        }
        if group == 0, start(length) < second { return false }
        if group == 2, isNameInAis(length) { return false }
        drop(length)
        if group == 2, letters.count > verbs, letters.last == 0x65 { drop(1) }
        return true
    }

    /// `palais`, `mauvais` and `déplaise` are no forms of verbs.
    private func isNameInAis(_ length: Int) -> Bool {
        guard Self.ais.longest(in: letters)?.length == length else { return false }
        let stem = Array(letters.dropLast(length))
        return stem.count == 3 && matchesBefore("al", length)
            || Self.namesInAis.longest(in: stem) != nil
    }

    private static let ais = EndingList("ais aise aises")
    private static let namesInAis = EndingList("auv épl")
    private static let residue = EndingList("ion", "ier ière Ier Ière", "e")

    /// What is left at the end of other words.
    mutating func dropFrenchResidue(_ verbs: Int) {
        if letters.count > 1, letters.last == 0x73 {
            let before = letters[letters.count - 2]
            let isDiaeresis = letters.count > 2 && ends(in: "His")
            let stays: [UInt32] = [0x61, 0x69, 0x6F, 0x75, 0xE8, 0x73]
            if isDiaeresis || !stays.contains(before) { drop(1) }
        }
        guard let (length, group) = Self.residue.longest(in: letters, from: verbs) else { return }
        switch group {
        case 0:
            let before = start(length) - 1
            guard start(length) >= second, before >= verbs,
                letters[before] == 0x73 || letters[before] == 0x74
            else { return }
            drop(length)
        case 1:
            drop(length)
            append("i")
        default: drop(1)
        }
    }
}
