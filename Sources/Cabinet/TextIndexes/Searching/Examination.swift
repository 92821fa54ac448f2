import CabinetBackend
import CabinetTextSearch

/// Texts that a search asks themselves, and what it found in them.
struct Examination {
    /// What was found in one object's texts.
    private struct Found {
        let row: RowID
        let match: SearchMatch
    }

    private let run: SearchRun
    private lazy var matcher = SearchMatcher(run.search)
    private var found: [Found] = []
    /// Of each field, what all texts are like, those of the segments too.
    private(set) var statistics: [SearchStatistics]

    init(_ run: SearchRun) {
        self.run = run
        let leaves = run.search.leaves.filter(\.isWanted).count
        statistics = run.texts.map { _ in SearchStatistics(leaves: leaves) }
    }

    /// Asks the object that a cursor stands at.
    /// - Parameter known: of each field, whether the statistics count its text already; empty for none.
    mutating func look(at cursor: RowCursor, known: [Bool] = []) throws {
        func isNew(_ index: Int) -> Bool { known.isEmpty || !known[index] }
        var texts: [String] = []
        for (index, text) in run.texts.enumerated() {
            let own = try text.source.withText(of: cursor) { bytes in
                bytes.map { String(decoding: $0, as: UTF8.self) }
            }
            if own != nil, isNew(index) { statistics[index].rows += 1 }
            texts.append(own ?? "")
        }
        guard let (isMatch, match) = matcher.look(through: texts) else { return }
        for index in texts.indices {
            if isNew(index) { statistics[index].length += match.wordCounts[index] }
            for (leaf, frequencies) in match.frequencies.enumerated() where frequencies[index] > 0 {
                statistics[index].rowsWithLeaf[leaf] += 1
            }
        }
        guard isMatch else { return }
        if let filter = run.filter, try !filter.accepts(cursor) { return }
        found.append(Found(row: cursor.row, match: match))
    }

    /// Asks the objects of `rows`, of which and of `left` the segments' own counts are taken away where the
    /// texts may be other ones now.
    mutating func look(
        at rows: [UInt32], _ left: Set<RowID>, _ snapshots: [TextSnapshot]
    ) throws {
        for (index, snapshot) in snapshots.enumerated() {
            statistics[index].rows = snapshot.segmented.rows
            statistics[index].length = snapshot.segmented.length
        }
        if rows.isEmpty, left.isEmpty { return }
        let (store, storedClass) = (run.store, run.storedClass)
        let fields = store.fields(of: storedClass)
        let cursor = RowCursor(store, fields)
        let saved = RowCursor(store, fields, ofRecords: true)
        let all = RowList.union(rows, left.map(\.rawValue).sorted()).map { RowID($0) }
        let everyKnown = snapshots.map { _ in true }
        try store.withSeekMemory { memory in
            var records = RowRecords(store, storedClass, all, memory.records)
            for row in all {
                let existing = storedClass.existing(row)
                let pending = existing.flatMap { $0.state.isPending ? $0 : nil }
                let isLeft = left.contains(row)
                // Of a record that is as it was when the segments were made they know the text.
                let isWholly =
                    pending == nil && !isLeft && snapshots.allSatisfy { $0.unmerged[row] == nil }
                let known =
                    isWholly
                    ? everyKnown
                    : snapshots.map { pending == nil && !isLeft && $0.unmerged[row] == nil }
                let record = try records.record(of: row)
                if let record, !isWholly, known.contains(false),
                    try saved.take(record, at: row)
                {
                    try leaveOut(saved, snapshots, known)
                }
                guard !isLeft else { continue }
                if let pending {
                    // Another store may have deleted what this one has changed.
                    let isThere = record != nil || pending.state.contains(.inserted)
                    if isThere, pending.state.isDisjoint(with: [.deleted, .fault, .unreadable]) {
                        cursor.take(pending)
                        try look(at: cursor)
                    }
                } else if let record, try cursor.take(record, at: row) {
                    do { try look(at: cursor, known: known) } catch is RowCursor.Gone {
                        continue
                    }
                }
            }
        }
    }

    /// Takes away what the segments count of a record that is asked itself, where they know it.
    private mutating func leaveOut(
        _ saved: RowCursor, _ snapshots: [TextSnapshot], _ known: [Bool]
    ) throws {
        for (index, snapshot) in snapshots.enumerated()
        where !known[index] && snapshot.unmerged[saved.row] == nil {
            guard let length = try run.texts[index].source.length(of: saved) else { continue }
            statistics[index].rows -= 1
            statistics[index].length -= length
        }
    }

    /// What was found, with its scores, if hits have them.
    func scored(_ statistics: [SearchStatistics]) -> [ScoredRow] {
        found.map { found in
            var score = 0.0
            for (leaf, frequencies) in found.match.frequencies.enumerated() where run.isScored {
                for (index, frequency) in frequencies.enumerated() where frequency > 0 {
                    score += statistics[index].score(
                        weight: statistics[index].weight(ofLeaf: leaf) * run.weights[index],
                        frequency: frequency, length: found.match.wordCounts[index])
                }
            }
            return ScoredRow(row: found.row, score: score, typos: found.match.typos)
        }
    }
}
