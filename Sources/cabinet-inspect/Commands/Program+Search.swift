import Cabinet
import CabinetBackend
import CabinetTokyo

extension Program {
    /// Shows the records in whose texts words are found, best first.
    func search(_ backend: TokyoBackend, _ invocation: Invocation) throws -> ExitStatus {
        let decoder = RecordDecoder(try StoreSchema(backend))
        decoder.targets = backend
        let storedClass = try storedClass(invocation.operands[1], in: decoder.schema)
        let words = invocation.operands[2]
        let query =
            try invocation.options.contains(.typed)
            ? SearchQuery(typed: words) : SearchQuery(words)
        let search = try RecordSearch(
            query, of: storedClass, in: invocation.field, backend, by: decoder)
        var status = ExitStatus.sound
        let found = try search.answer(limit: invocation.limit) { row, problem in
            status = .findings
            say("cabinet-inspect: row \(row): \(problem)")
        }
        if invocation.options.contains(.explain) {
            explain(found.plan, found.unusedIndexes, invocation)
            return status
        }
        for hit in found.hits {
            let score = (hit.score * 1000).rounded() / 1000
            answer(
                invocation,
                .members(
                    ("class", .text(storedClass.name)), ("row", .count(hit.row.rawValue)),
                    ("score", .digits("\(score)")),
                    ("typos", hit.typos > 0 ? .count(hit.typos) : nil),
                    (
                        "texts",
                        .object(hit.texts.map { .init(name: $0.name, value: .text($0.snippet)) })
                    )),
                [
                    (["\(hit.row)", "\(score)"]
                        + hit.texts.map { "\($0.name): \(JSONValue.text($0.marked).written)" })
                        .joined(separator: "  ")
                ])
        }
        for index in found.unusedIndexes {
            say("cabinet-inspect: the text index \(index.name) was not used: \(index.reason).")
        }
        if !invocation.wantsJSON {
            say("\(found.totalCount.counted("record")) found.")
        }
        return status
    }
}
