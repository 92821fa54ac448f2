import CabinetBackend
import CabinetTextSearch

/// Counts in how many objects of a class the words stand that a person may be about to type.
struct WordCounts {
    /// A word, and how often it stands.
    private struct Word {
        let term: [UInt8]
        let typos: Int
        /// By the dictionary, also in texts that do not count any more.
        var listed = 0
        /// In texts that were looked at.
        var seen = 0
        var most: Int { listed + seen }
        /// Without the mark of whole words.
        var text: String {
            let mark = term.first == WordTokens.wholeMark ? 1 : 0
            return String(decoding: term.dropFirst(mark), as: UTF8.self)
        }
    }

    private let store: Store
    private let text: ClassText
    private let typed: TypedWord
    private var test: TermTest
    private var words: [[UInt8]: Word] = [:]
    /// Rows of which the segments do not count, as the objects were looked at, or are deleted.
    private var passed = Set<RowID>()

    init(_ store: Store, _ text: ClassText, _ typed: TypedWord) {
        self.store = store
        self.text = text
        self.typed = typed
        test = TermTest(typed.test)
    }

    mutating func suggestions(limit: Int) throws -> [TextSuggestion] {
        guard text.isComplete, let table = text.table else {
            var counts = ScanCounts()
            try store.scan(text.storedClass, ConstantFilter(true), &counts) { cursor in
                try look(at: cursor)
                return true
            }
            return best(limit) { $0.seen }
        }
        let snapshot = try TextSnapshot(
            table, hasLengths: text.index.tokenizer.hasLengths, store.readerForWalk())
        try snapshot.forEachListedTerm(withPrefix: typed.stem) { term, rows in
            add(term) { $0.listed += rows }
        }
        try lookAtUnmerged(snapshot)
        if passed.isEmpty, snapshot.gone.isEmpty { return best(limit) { $0.most } }
        return try best(limit) { word in
            guard word.listed > 0 else { return word.seen }
            return try snapshot.count(of: word.term, without: passed) + word.seen
        }
    }

    private mutating func add(_ term: UnsafeRawBufferPointer, _ body: (inout Word) -> Void) {
        let bytes = Array(term)
        if var word = words[bytes] {
            body(&word)
            words[bytes] = word
        } else if let typos = test.cost(of: term) {
            var word = Word(term: bytes, typos: typos)
            body(&word)
            words[bytes] = word
        }
    }

    // MARK: Texts that are looked at

    private mutating func lookAtUnmerged(_ snapshot: TextSnapshot) throws {
        let storedClass = text.storedClass
        let cursor = RowCursor(store, store.fields(of: storedClass))
        passed.formUnion(snapshot.unmerged.keys)
        for object in store.changes.objects
        where object.storedClass === storedClass && object.state.isPending {
            passed.insert(object.rowID)
            guard object.state.isDisjoint(with: [.deleted, .fault, .unreadable]),
                // Another store may have deleted what this one has changed.
                try object.state.contains(.inserted)
                    || store.hasSavedRecord(object.rowID, of: storedClass)
            else { continue }
            cursor.take(object)
            try look(at: cursor)
        }
        let rows = snapshot.unmerged.keys.sorted().filter {
            storedClass.existing($0)?.state.isPending != true
        }
        try store.forEachRecord(at: rows, of: storedClass) { row, record in
            if try cursor.take(record, at: row) { try look(at: cursor) }
        }
    }

    private mutating func look(at cursor: RowCursor) throws {
        var terms = Set<[UInt8]>()
        let stem = typed.stem
        try text.source.withText(of: cursor) { bytes in
            guard let bytes else { return }
            _ = try text.source.forEachTerm(in: bytes) { token in
                if token.term.starts(with: stem) { terms.insert(Array(token.term)) }
            }
        }
        for term in terms { term.withUnsafeBytes { add($0) { $0.seen += 1 } } }
    }

    // MARK: The best

    /// Whether a search for the word looks for it alone. Of some emoji the joiners are left out, without which it would
    /// be several.
    private func isFoundByItself(_ word: Word, _ workspace: TokenWorkspace) -> Bool {
        var terms = 0
        text.index.tokenizer.forEachToken(in: word.text, for: .query, workspace) { _ in terms += 1 }
        return terms == 1
    }

    /// The first words by typos, count and letters. The most that a count can be decides which are counted.
    private func best(_ limit: Int, count: (Word) throws -> Int) rethrows -> [TextSuggestion] {
        var found: [TextSuggestion] = []
        let workspace = TokenWorkspace()
        let groups = Dictionary(grouping: words.values, by: \.typos).inOrder { $0.key < $1.key }
        for (_, group) in groups {
            let wanted = limit - found.count
            if wanted <= 0 { break }
            var counted: [(word: Word, count: Int)] = []
            let sorted = group.inOrder {
                $0.most == $1.most
                    ? $0.term.lexicographicallyPrecedes($1.term) : $0.most > $1.most
            }
            for word in sorted {
                if counted.count == wanted, let last = counted.last,
                    !Self.isBefore((word, word.most), last)
                {
                    break
                }
                let own = (word, try count(word))
                if own.1 <= 0 || !isFoundByItself(word, workspace) { continue }
                let place = counted.firstIndex { Self.isBefore(own, $0) } ?? counted.count
                counted.insert(own, at: place)
                if counted.count > wanted { counted.removeLast() }
            }
            found += counted.map { word, count in
                TextSuggestion(word: word.text, count: count, typos: word.typos)
            }
        }
        return found
    }

    private static func isBefore(
        _ one: (word: Word, count: Int), _ other: (word: Word, count: Int)
    ) -> Bool {
        one.count == other.count
            ? one.word.term.lexicographicallyPrecedes(other.word.term) : one.count > other.count
    }
}

extension TextSnapshot {
    /// Calls `body` with each term of a segment that begins so, and the number of its rows there: segment
    /// after segment.
    fileprivate func forEachListedTerm(
        withPrefix prefix: [UInt8], _ body: (UnsafeRawBufferPointer, Int) -> Void
    ) throws {
        for head in segments {
            var range = KeyRange(prefix: TextKeys.key(.terms, head.number))
            // The block before the one that would begin with the prefix may have some.
            let key = prefix.withUnsafeBytes { TextKeys.terms(head.number, from: $0) }
            let before = KeyRange(from: range.lower, to: key + [0])
            range.lower = try entries.lastKey(of: before) ?? range.lower
            try forEach(range) { _, value in
                try TermBlock.forEachTerm(in: value) { term, rows in
                    if term.starts(with: prefix) {
                        body(term, rows)
                        return true
                    }
                    return !prefix.lexicographicallyPrecedes(term)
                }
            }
        }
    }

    /// In how many rows a term stands, of those that count and are not among `passed`.
    fileprivate func count(of term: [UInt8], without passed: Set<RowID>) throws -> Int {
        var count = 0
        let stem = term.withUnsafeBytes { TextKeys.postings(of: $0) }
        try forEachPosting(in: KeyRange(prefix: stem)) { entry in
            let gone = gone[entry.segment]
            for number in entry.postings.rows {
                let row = RowID(number)
                if gone?.contains(row) == true || passed.contains(row) { continue }
                count += 1
            }
            return true
        }
        return count
    }
}
