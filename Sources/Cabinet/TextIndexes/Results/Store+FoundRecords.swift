import CabinetBackend
import CabinetTextSearch

/// A record that a search has found. `Sendable`: a value.
package struct FoundRecord: Sendable {
    /// A text in which something was found.
    package struct Text: Sendable {
        /// The name of its index.
        package let name: String
        /// The part of the text in which most was found.
        package let snippet: String
        /// The same, with what was found in brackets.
        package let marked: String
    }

    /// Its row.
    package let row: RowID
    /// How well it fits, by BM25.
    package let score: Double
    /// How many typos were forgiven.
    package let typos: Int
    /// The texts in which something was found.
    package let texts: [Text]
}

/// The records that a search has found. `Sendable`: a value.
package struct FoundRecords: Sendable {
    /// The hits, best first.
    package let hits: [FoundRecord]
    /// How many records were found, the limit left aside.
    package let totalCount: Int
    /// The steps with the rows that they left.
    package let plan: QueryPlan
}

extension Store {
    /// The records of a class whose texts match `query`, best first, without an object: what
    /// ``StoreQuery/search(_:in:inIndex:orderedBy:weights:)-(String,_,_,_,_)`` finds.
    /// - Parameters:
    ///   - name: the storage name of the class.
    ///   - field: the name of a text index or of its field; `nil` for all text indexes of the class.
    ///   - limit: how many hits at most; `nil` for all.
    /// - Throws: what a search throws.
    package func searchRecords(
        of name: String, _ query: SearchQuery, in field: String? = nil, limit: Int? = nil
    ) throws -> FoundRecords {
        let storedClass = try registered(named: name)
        let texts = (try textKeeper?.texts(of: storedClass)?.all ?? []).filter {
            field == nil || $0.name == field || $0.source.fieldName == field
        }
        guard !texts.isEmpty else {
            throw StoreError.notSearchable(class: storedClass.name, text: field ?? "")
        }
        try query.checkFields(known: texts.map(\.name))
        var run = SearchRun(
            self, storedClass, texts, query, weights: texts.map { _ in 1 }, isScored: true,
            condition: nil)
        let best = limit.map { max($0, 0) }
        let answer = try run.find(best: best)
        let rows = answer.sorted()
        let shown = rows.prefix(best ?? rows.count)
        let found = FoundTexts(run.search)
        let cursor = RowCursor(self, fields(of: storedClass))
        let record = DataBuffer()
        let hits = try shown.compactMap { scored -> FoundRecord? in
            guard try readRecord(scored.row, of: storedClass, into: record) else { return nil }
            return try record.withUnsafeBytes { bytes in
                do {
                    guard try cursor.take(bytes, at: scored.row) else { return nil }
                    return FoundRecord(
                        row: scored.row, score: scored.score, typos: scored.typos,
                        texts: try texts.indices.compactMap {
                            try FoundRecord.Text(texts[$0], number: $0, of: cursor, found)
                        })
                } catch is RowCursor.Gone {
                    return nil
                }
            }
        }
        return FoundRecords(
            hits: hits, totalCount: answer.total,
            plan: run.plan(query, found: answer.total, shown: shown.count))
    }

    /// The text indexes of the class of that storage name that no search uses, as they need the class.
    package func unusedTexts(of name: String) -> [UnusedTable] {
        unusedTables.filter { $0.className == name && $0.kind == TextKeeper.kind }
    }
}

extension FoundRecord.Text {
    /// `nil` for a text in which nothing was found.
    fileprivate init?(
        _ text: ClassText, number: Int, of cursor: RowCursor, _ found: FoundTexts
    ) throws {
        let content = try text.source.withText(of: cursor) { bytes in
            bytes.map { String(decoding: $0, as: UTF8.self) }
        }
        guard let content else { return nil }
        let ranges = found.ranges(in: content, fields: [number])
        guard !ranges.isEmpty else { return nil }
        let snippet = SearchSnippet(content, ranges, length: 80)
        var (marked, end) = ("", snippet.text.startIndex)
        for range in snippet.ranges {
            marked += snippet.text[end..<range.lowerBound] + "[" + snippet.text[range] + "]"
            end = range.upperBound
        }
        (name, self.snippet) = (text.name, snippet.text)
        self.marked = marked + snippet.text[end...]
    }
}
