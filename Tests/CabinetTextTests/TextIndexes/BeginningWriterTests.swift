import Testing
import TrustSupport

@testable import Cabinet

/// What a segment says of beginnings is what its terms say, added up.
@Suite("Text indexes: beginnings in segments")
struct BeginningWriterTests {
    private struct Counted: Hashable {
        let row: UInt32
        let length: UInt32
        let frequency: Int
    }

    /// Terms of a few letters, those of one scalar among them, in their order.
    private func terms(_ random: inout SeededRandom) -> [[UInt8]] {
        let letters = ["a", "b", "é", "ж", "न", "東", "1"]
        var terms = Set<[UInt8]>()
        for _ in 0..<300 {
            let word = (0...random.below(3)).map { _ in letters[random.below(letters.count)] }
            let mark = random.once(in: 2) ? [WordTokens.wholeMark] : []
            terms.insert(mark + Array(word.joined().utf8))
        }
        return terms.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// The length of a row's text, as every term says it.
    private func length(of row: UInt32) -> UInt32 { row % 300 + 1 }

    /// The first letter, by itself or behind the mark, up to U+07FF.
    private func beginning(of term: [UInt8], _ form: TextBeginnings) -> String? {
        let text = String(decoding: term, as: UTF8.self)
        guard let first = text.unicodeScalars.first else { return nil }
        let isMarked = first.value == UInt32(WordTokens.wholeMark)
        guard form == .words || isMarked else { return nil }
        let letters = form == .words ? 1 : 2
        let beginning = String(String.UnicodeScalarView(text.unicodeScalars.prefix(letters)))
        let letter = beginning.unicodeScalars.last
        return letter.map { $0.value < 0x800 } == true ? beginning : nil
    }

    /// What is read of entries, by beginnings.
    private func read(
        _ entries: [(key: [UInt8], value: [UInt8])], segment: UInt32
    ) throws -> [String: [Counted]] {
        var found: [String: [Counted]] = [:]
        let block = BlockReader()
        for (key, value) in entries {
            // The mark of a whole word is the only byte that is escaped.
            let stem = key.dropFirst().dropLast(9)
            let isMarked = stem.first == 1
            let beginning = String(
                decoding: isMarked ? [WordTokens.wholeMark] + stem.dropFirst(2) : Array(stem),
                as: UTF8.self)
            let (own, first) = key.withUnsafeBytes {
                (
                    TextKeys.number(in: $0, at: key.count - 8),
                    TextKeys.number(in: $0, at: key.count - 4)
                )
            }
            #expect(own == segment)
            let from = try #require(first)
            try value.withUnsafeBytes { value in
                _ = try block.read(value, from: from, passed: [], hasPositions: false) {
                    block, rows in
                    block.forEachCount { posting, frequency, length in
                        found[beginning, default: []].append(
                            Counted(row: rows[posting], length: length, frequency: frequency))
                        return true
                    }
                }
            }
        }
        return found
    }

    @Test(
        "rows of a segment with their counts, whatever is known of the rows before",
        arguments: [TextBeginnings.words, .wholeWords], [1, 40, 900, 1 << 22])
    func sums(form: TextBeginnings, distance: UInt32) throws {
        var random = SeededRandom(seed: RunSetting.seed &+ UInt64(distance))
        let terms = terms(&random)
        let least = 1 + UInt32(random.below(1000))
        var wanted: [String: [UInt32: Int]] = [:]
        var counts: [String: Int] = [:]
        var postings: [(term: [UInt8], rows: [UInt32: Int])] = []
        var greatest = least
        for term in terms {
            var rows: [UInt32: Int] = [:]
            // Of some beginnings more postings than a list takes.
            for _ in 0..<(random.once(in: 2) ? 1500 : 1 + random.below(30)) {
                let row = least + UInt32(random.below(1000)) * distance
                rows[row] = random.once(in: 5) ? 2 + random.below(12) : 1
                greatest = max(greatest, row)
            }
            postings.append((term, rows))
            guard let beginning = beginning(of: term, form) else { continue }
            counts[beginning, default: 0] += rows.count
            wanted[beginning, default: [:]].merge(rows, uniquingKeysWith: +)
        }
        let middle = least + (greatest - least) / 2
        for known in [nil, least...greatest, least...middle, middle...greatest] {
            var entries: [(key: [UInt8], value: [UInt8])] = []
            var writer = SegmentWriter(9, hasLengths: true, form, rows: known) { key, value in
                guard key[0] == TextKeys.Kind.beginnings.rawValue else { return }
                entries.append((Array(key), Array(value)))
            }
            for (term, rows) in postings {
                var found = Postings()
                for (row, count) in rows.sorted(by: { $0.key < $1.key }) {
                    found.append(row, length: length(of: row), 0..<UInt32(count))
                }
                try term.withUnsafeBytes { try writer.write($0, found) }
            }
            try writer.finish(order: 1, rows: 1, length: 1)
            let found = try read(entries, segment: 9)
            #expect(Set(found.keys) == Set(wanted.keys))
            for (beginning, rows) in wanted {
                let all = rows.sorted { $0.key < $1.key }.map {
                    Counted(row: $0.key, length: length(of: $0.key), frequency: $0.value)
                }
                #expect(found[beginning] == all, "\(beginning), known \(String(describing: known))")
            }
            let keys = entries.map(\.key)
            #expect(Set(keys).count == keys.count)
        }
        #expect(counts.values.contains { $0 > 4096 } && counts.values.contains { $0 < 4096 })
    }
}
