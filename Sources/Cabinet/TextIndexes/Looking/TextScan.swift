import CabinetBackend

/// Looks through the texts of records for a search, all of them or those that indexes lead to.
struct TextScan {
    typealias Unreadable = (RowID, StoreError) -> Void

    private let fields: [String]
    private let storedClass: StoreSchema.Class
    private let decoder: RecordDecoder
    private var matcher: SearchMatcher
    private var found: [(row: RowID, match: SearchMatch)] = []
    /// Of each field, what all texts are like.
    private var statistics: [SearchStatistics]
    /// Whether the statistics know the texts that indexes have.
    private var knowsIndexed = false
    /// How many records were looked at.
    private(set) var looked = 0

    init(
        _ search: CompiledSearch, _ fields: [String], _ storedClass: StoreSchema.Class,
        _ decoder: RecordDecoder
    ) {
        self.fields = fields
        self.storedClass = storedClass
        self.decoder = decoder
        matcher = SearchMatcher(search)
        let leaves = search.leaves.filter(\.isWanted).count
        statistics = fields.map { _ in SearchStatistics(leaves: leaves) }
    }

    /// Begins with what indexes know of all texts but the fresh ones.
    mutating func begin(_ snapshots: [TextSnapshot]) {
        for (index, snapshot) in snapshots.enumerated() {
            (statistics[index].rows, statistics[index].length) = snapshot.segmented
        }
        knowsIndexed = true
    }

    mutating func lookAtAll(_ backend: any BackendReader, _ unreadable: Unreadable) throws {
        let run = RecordRun()
        let cursor = try backend.records(in: storedClass.table)
        while try cursor.next(run) {
            while let (row, record) = run.next() { look(at: record, row, [], unreadable) }
        }
    }

    /// - Parameter snapshots: the indexes, of which the statistics know the texts that are not fresh.
    mutating func look(
        at rows: [RowID], _ snapshots: [TextSnapshot], _ backend: any BackendReader,
        _ unreadable: Unreadable
    ) throws {
        let run = RecordRun()
        var left = rows[...]
        while !left.isEmpty {
            let count = try backend.values(of: left, in: storedClass.table, into: run)
            left = left.dropFirst(count)
            while let (row, record) = run.next() { look(at: record, row, snapshots, unreadable) }
        }
    }

    private mutating func look(
        at record: UnsafeRawBufferPointer, _ row: RowID, _ snapshots: [TextSnapshot],
        _ unreadable: Unreadable
    ) {
        looked += 1
        let content: [DecodedField]
        do throws(StoreError) {
            content = try decoder.decode(record, row: row, of: storedClass).fields ?? []
        } catch {
            return unreadable(row, error)
        }
        let texts = fields.map { content.text(of: $0) }
        guard let (isMatch, match) = matcher.look(through: texts.map { $0 ?? "" }) else { return }
        for index in texts.indices {
            let isNew = !knowsIndexed || snapshots[index].fresh[row] != nil
            if isNew, texts[index] != nil {
                statistics[index].rows += 1
                statistics[index].length += match.wordCounts[index]
            }
            for (leaf, frequencies) in match.frequencies.enumerated() where frequencies[index] > 0 {
                statistics[index].rowsWithLeaf[leaf] += 1
            }
        }
        if isMatch { found.append((row, match)) }
    }

    /// What was found, in no order, with its scores.
    var scored: [ScoredRow] {
        found.map { row, match in
            var score = 0.0
            for (leaf, frequencies) in match.frequencies.enumerated() {
                for (index, frequency) in frequencies.enumerated() where frequency > 0 {
                    score += statistics[index].score(
                        weight: statistics[index].weight(ofLeaf: leaf), frequency: frequency,
                        length: match.wordCounts[index])
                }
            }
            return ScoredRow(row: row, score: score, typos: match.typos)
        }
    }
}

extension [DecodedField] {
    /// The text of a field; `nil` for none.
    func text(of name: String) -> String? {
        guard let value = first(where: { $0.name == name })?.value, case .text(let text) = value
        else { return nil }
        return text
    }
}
