import Testing
import TrustSupport

@testable import CabinetTextSearch

/// A scan of terms in memory finds what a comparison with every term finds.
@Suite("Misspelt words among terms in memory")
struct TypoScanTests {
    private func list(_ terms: [[UInt8]]) -> TermList {
        var list = TermList()
        for term in terms { term.withUnsafeBytes { list.append($0) } }
        return list
    }

    private func bytes(_ list: TermList) -> [[UInt8]] {
        (0..<list.count).map { list.withBytes(of: $0) { Array($0) } }
    }

    private func sorted(_ words: Set<[UInt8]>) -> [[UInt8]] {
        words.sorted { $0.lexicographicallyPrecedes($1) }
    }

    @Test(arguments: TypoTests.alphabets)
    func scansFindWhatAComparisonFinds(_ letters: [String]) {
        var random = SeededRandom(seed: RunSetting.seed)
        func word(_ most: Int) -> [UInt8] {
            Array(
                (0..<random.below(most)).map { _ in letters[random.below(letters.count)] }.joined()
                    .utf8)
        }
        for round in 0..<60 {
            let lead: [UInt8] = round % 2 == 0 ? [] : [1]
            let words = sorted(
                Set(
                    (0..<random.below(300)).map { _ in lead + word(8) }
                        + [[0x30], [0xF4, 0x8F, 0xBF, 0xBF, 1]]))
            let terms = list(words)
            let pattern = word(6) + Array(letters[0].utf8)
            for limit in 0...2 {
                for isPrefix in [false, true] {
                    let typos = pattern.withUnsafeBytes {
                        TypoPattern($0, limit: limit, isPrefix: isPrefix)
                    }
                    let expected = words.filter { $0.starts(with: lead) }.compactMap { word in
                        word.dropFirst(lead.count).withUnsafeBytes { typos.cost(of: $0) }
                            .map { FoundWord(word: word, cost: $0) }
                    }
                    var found: [FoundWord] = []
                    var scan = TypoScan(typos, lead: lead)
                    scan.forEach(in: terms) { term, cost in
                        found.append(
                            FoundWord(word: terms.withBytes(of: term) { Array($0) }, cost: cost))
                    }
                    #expect(found == expected)
                }
            }
        }
    }

    /// Bytes from a disk may be anything: a scan reads them all without harm.
    @Test func anyBytesAreScanned() {
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<200 {
            let words = sorted(
                Set(
                    (0..<50).map { _ in
                        (0..<random.below(random.once(in: 10) ? 600 : 5)).map { _ in
                            UInt8(random.below(random.once(in: 2) ? 3 : 256))
                        }
                    }))
            let terms = list(words)
            #expect(bytes(terms) == words)
            let pattern = words[random.below(words.count)]
            let typos = pattern.withUnsafeBytes { TypoPattern($0, limit: 2, isPrefix: false) }
            var scan = TypoScan(typos)
            var last = -1
            scan.forEach(in: terms) { term, cost in
                #expect(term > last && cost <= 2)
                last = term
            }
        }
    }

    @Test func mergedListsHaveEachTermOnce() {
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<100 {
            let words = (0..<random.below(5)).map { _ in
                Set(
                    (0..<random.below(40)).map { _ in
                        (0..<random.below(4)).map { _ in UInt8(random.below(4)) }
                    })
            }
            let merged = TermList(merging: words.map { list(sorted($0)) })
            let all = sorted(words.reduce(into: []) { $0.formUnion($1) })
            #expect(bytes(merged) == all)
            for word in all {
                #expect(merged.place(of: word) == all.firstIndex(of: word))
                #expect(
                    merged.place(of: word + [0])
                        == all.firstIndex { !$0.lexicographicallyPrecedes(word + [0]) }
                        ?? all.count)
            }
        }
    }
}
