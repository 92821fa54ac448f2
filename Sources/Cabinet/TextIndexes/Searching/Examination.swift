import CabinetBackend

/// Texts that a search asks themselves, and what it found in them.
struct Examination {
    /// What was found in one object's texts.
    private struct Found {
        let row: RowID
        let match: SearchMatch
    }

    private let run: SearchRun
    private var matcher: SearchMatcher
    private var found: [Found] = []
    /// Of each field, what all texts are like, those of the segments too.
    private(set) var statistics: [SearchStatistics]

    init(_ run: SearchRun) {
        self.run = run
        matcher = SearchMatcher(run.search)
        let leaves = run.search.leaves.filter(\.isWanted).count
        statistics = run.texts.map { _ in SearchStatistics(leaves: leaves) }
    }

    /// Asks the object that a candidate stands at.
    /// - Parameter known: of each field, whether the statistics count its text already; empty for none.
    mutating func look(at candidate: Candidate, known: [Bool] = []) throws {
        var texts: [String] = []
        func isNew(_ index: Int) -> Bool { known.isEmpty || !known[index] }
        for (index, text) in run.texts.enumerated() {
            let own = try text.source.withText(of: candidate) { bytes in
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
        if let filter = run.filter, try !filter.accepts(candidate) { return }
        found.append(Found(row: candidate.row, match: match))
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
        let (store, storedClass) = (run.store, run.storedClass)
        let fields = store.fields(of: storedClass)
        let candidate = Candidate(store, fields)
        let saved = Candidate(store, fields, ofRecords: true)
        let record = DataBuffer()
        for row in RowList.union(rows, left.map(\.rawValue).sorted()).lazy.map({ RowID($0) }) {
            let existing = storedClass.existing(row)
            let pending = existing.flatMap { $0.state.isPending ? $0 : nil }
            let isLeft = left.contains(row)
            // Of a record that is as it was when the segments were made they know the text.
            let known = snapshots.map {
                pending == nil && !isLeft && $0.fresh[row] == nil
            }
            let isThere = try store.readRecord(row, of: storedClass, into: record)
            if isThere, known.contains(false) {
                try record.withUnsafeBytes { bytes in
                    guard try saved.take(bytes, at: row) else { return }
                    try leaveOut(saved, snapshots, known)
                }
            }
            guard !isLeft else { continue }
            if let pending {
                if pending.state.isDisjoint(with: [.deleted, .fault, .unreadable]) {
                    candidate.take(pending)
                    try look(at: candidate)
                }
            } else if isThere {
                try record.withUnsafeBytes { bytes in
                    guard try candidate.take(bytes, at: row) else { return }
                    try look(at: candidate, known: known)
                }
            }
        }
    }

    /// Takes away what the segments count of a record that is asked itself, where they know it.
    private mutating func leaveOut(
        _ saved: Candidate, _ snapshots: [TextSnapshot], _ known: [Bool]
    ) throws {
        for (index, snapshot) in snapshots.enumerated()
        where !known[index] && snapshot.fresh[saved.row] == nil {
            guard let length = try run.texts[index].source.length(of: saved) else { continue }
            statistics[index].rows -= 1
            statistics[index].length -= length
        }
    }

    /// What was found, with its scores.
    func scored(_ statistics: [SearchStatistics]) throws -> [ScoredRow] {
        found.map { found in
            var score = 0.0
            for (leaf, frequencies) in found.match.frequencies.enumerated() {
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
