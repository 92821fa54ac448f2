import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// A class whose texts many tests save at once.
final class DraftedNote: StoredObject {
    @Field var title = ""

    convenience init(_ title: String) {
        self.init()
        self.title = title
    }

    override class var textIndexes: [TextIndex] {
        [
            .text(\DraftedNote.title),
            .text(\DraftedNote.title, tokenizer: .substring, named: "parts"),
        ]
    }
}

/// Segments that are made in memory, one text after the other or on a thread of their own.
@Suite("Text indexes: drafts of segments")
struct SegmentDraftTests {
    private struct Place: Hashable {
        let row: UInt32
        let length: UInt32
        let positions: [UInt32]
    }

    /// Words of 1 to 200 bytes, the shorter ones more often; some differ only behind their eighth byte.
    private func words(_ random: inout SeededRandom) -> [String] {
        (0..<400).map { number in
            let letter = "\(Character(Unicode.Scalar(97 + UInt8(number % 26))))"
            let count = number % 9 == 0 ? random.below(200) : random.below(12)
            return String(repeating: letter, count: count) + String(number, radix: 36)
        }
    }

    /// What the tokenizer says of the texts, put together term by term.
    private func wanted(
        _ texts: [(row: UInt32, text: String)], _ tokenizer: Tokenizer
    ) -> [[UInt8]: Set<Place>] {
        var wanted: [[UInt8]: Set<Place>] = [:]
        for (row, text) in texts {
            var own: [[UInt8]: [UInt32]] = [:]
            var length: UInt32 = 0
            tokenizer.forEachToken(in: text, TokenWorkspace()) { token in
                own[Array(token.term), default: []].append(UInt32(token.position))
                length = UInt32(token.position) + 1
            }
            for (term, positions) in own {
                let place = Place(
                    row: row, length: tokenizer.hasLengths ? length : 0, positions: positions)
                wanted[term, default: []].insert(place)
            }
            // Where postings have no lengths, a byte that is in no text stands at the end.
            if !tokenizer.hasLengths, length > 0 {
                wanted[[0xFF], default: []].insert(
                    Place(row: row, length: 0, positions: [length]))
            }
        }
        return wanted
    }

    /// What a batch puts, term by term; the rows of each in ascending order.
    private func written(
        _ batch: WriteBatch, hasLengths: Bool
    ) throws -> [[UInt8]: Set<Place>] {
        var written: [[UInt8]: Set<Place>] = [:]
        var reader = OperationReader(
            UnsafeRawBufferPointer(
                rebasing: UnsafeRawBufferPointer(batch.chunk())[WriteBatch.headroom...]))
        while let operation = reader.next() {
            guard case .putKey(_, let key, let stored) = operation,
                let term = TextKeys.term(ofPostings: key)
            else { continue }
            var postings = Postings()
            let first = try #require(TextKeys.number(in: key, at: key.count - 4))
            let value = UnsafeRawBufferPointer(rebasing: stored.dropLast(4))
            try postings.readBlock(value, from: first, hasLengths: hasLengths)
            for index in 0..<postings.count {
                let place = Place(
                    row: postings.rows[index], length: postings.lengths[index],
                    positions: Array(postings.positions(of: index)))
                #expect(written[term, default: []].insert(place).inserted)
            }
        }
        return written
    }

    @Test(
        "a segment has of each term what the texts say",
        arguments: [Tokenizer.words, .words(language: "en"), .substring], [true, false])
    func segments(tokenizer: Tokenizer, isInOrder: Bool) throws {
        var random = SeededRandom(seed: RunSetting.seed)
        let words = words(&random)
        var rows = (0..<500).map { UInt32(2 + $0 * 3) }
        if !isInOrder { rows.shuffle(using: &random) }
        let texts = rows.map { row in
            let count = random.once(in: 50) ? 900 : random.below(8)
            return (
                row,
                (0..<count).map { _ in words[random.below(random.once(in: 2) ? 9 : words.count)] }
                    .joined(separator: " ")
            )
        }
        let draft = SegmentDraft(tokenizer)
        let thread = DraftThread(tokenizer)
        for (row, text) in texts {
            var text = text
            try text.withUTF8 {
                try draft.add($0, of: RowID(row))
                _ = try thread.add($0, of: RowID(row))
            }
        }
        let wanted = wanted(texts, tokenizer)
        for draft in [draft, try thread.finish()] {
            let batch = WriteBatch()
            try draft.write(order: 1, to: batch, 7)
            #expect(try written(batch, hasLengths: tokenizer.hasLengths) == wanted)
            #expect(draft.rows == 500)
        }
    }

    @Test("of segments that are made one after the other, the rows of a term come in their order")
    func segmentsInOrder() throws {
        let backend = MemoryBackend()
        let table = TableDefinition(number: .firstFree, kind: .ordered, name: "Text.Note.title-1")
        let batch = backend.makeBatch()
        try batch.define(table)
        let draft = SegmentDraft(.words)
        var numbers: [UInt32] = []
        for first: UInt32 in stride(from: 1, to: 400, by: 100) {
            for row in first..<first + 100 {
                var text = "sky \(row)"
                _ = try text.withUTF8 { try draft.add($0, of: RowID(row)) }
            }
            try draft.write(order: 1, to: batch, table.number)
            numbers.append(draft.number)
            draft.removeAll()
        }
        try backend.commit(batch)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
        let snapshot = try TextSnapshot(table.number, hasLengths: true, backend)
        #expect(snapshot.segments.count == 4)
        let postings = TermPostings(hasLengths: true)
        try snapshot.forEach(
            KeyRange(prefix: Array("sky".utf8).withUnsafeBytes { TextKeys.postings(of: $0) })
        ) { key, value in
            try snapshot.add(key, value, to: postings)
            return true
        }
        // In one of a billion drafts, the numbers begin anew at 0.
        #expect(postings.isInOrder || numbers[3] < numbers[0])
        #expect(postings.rows == Array(1...400))
    }

    /// Many blocks of texts, and some that are longer than a block.
    @Test(
        "many texts of one save are found as a look at each finds them", arguments: [true, false])
    func manyTexts(givesUpFirst: Bool) throws {
        var random = SeededRandom(seed: RunSetting.seed)
        let words = words(&random)
        let store = try Store(inMemory: [DraftedNote.self])
        var texts: [String] = []
        for number in 0..<12_000 {
            let count = number % 4_000 == 1 ? 9_000 : 2 + random.below(12)
            let text = (0..<count).map { _ in words[random.below(words.count)] }
                .joined(separator: " ")
            texts.append(text)
            store.insert(DraftedNote(text))
        }
        if givesUpFirst {
            // What was collected of a save that fails is no part of the next one.
            let refused = Refusing()
            store.add(refused)
            #expect(throws: Refusing.Refusal.self) { try store.save() }
            refused.isRefusing = false
        }
        try store.save()
        let sets = texts.map { Set($0.split(separator: " ")) }
        for number in stride(from: 0, to: words.count, by: 23) {
            let word = words[number]
            // A property is searched in all its text indexes, in that of parts, too.
            let whole = Set(words.filter { $0.contains(word) }.map { Substring($0) })
            let count = sets.count { !$0.isDisjoint(with: whole) }
            let found = try store.search(DraftedNote.self, word, in: \.title, limit: 0).totalCount
            #expect(found == count, "\(word.prefix(20))")
        }
        let findings = try store.indexFindings()
        #expect(findings.isEmpty)
    }

    /// Fails commits behind the last participant.
    private final class Refusing: CommitParticipant {
        struct Refusal: Error {}
        var isRefusing = true

        func follows(_ storedClass: StoredClass) -> Bool { false }
        func begin(_ commit: Commit) throws {}
        func note(_ event: RecordEvent, in commit: Commit) throws {}
        func join(_ commit: Commit) throws { if isRefusing { throw Refusal() } }
        func didEnd(committed number: CommitNumber?) {}
        func forgetWhatIsSaved() {}
    }
}
