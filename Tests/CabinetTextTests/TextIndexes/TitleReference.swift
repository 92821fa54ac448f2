import Foundation

@testable import Cabinet

/// What the definition says that a search in the titles of notes finds: by a look at each text.
struct TitleReference {
    struct Hit: Equatable {
        let row: RowID
        let typos: Int
        let score: Double
    }

    let hits: [Hit]

    init(_ query: SearchQuery, _ notes: [WordNote]) {
        let search = CompiledSearch(query, [SearchedField(name: "title", tokenizer: .words)])
        var matcher = SearchMatcher(search)
        let looks = notes.compactMap { note in
            matcher.look(through: [note.title]).map { (note.rowID, $0.isMatch, $0.found) }
        }
        let all = Double(notes.count)
        let average = Double(looks.reduce(0) { $0 + $1.2.wordCounts[0] }) / all
        let weights = search.leaves.indices.map { leaf in
            let having = Double(looks.count { $0.2.frequencies[leaf][0] > 0 })
            return log(1 + (all - having + 0.5) / (having + 0.5))
        }
        hits = looks.filter(\.1).map { row, _, found in
            let length = Double(found.wordCounts[0]) / average
            var score = 0.0
            for (weight, frequencies) in zip(weights, found.frequencies) {
                let count = Double(frequencies[0])
                score += weight * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length))
            }
            return Hit(row: row, typos: found.typos, score: score)
        }
    }
}
