import Cabinet
import CabinetBackend
import CabinetTokyo

extension Program {
    /// Shows the records in whose texts words are found, best first.
    func search(_ backend: any Backend, _ invocation: Invocation) throws -> ExitStatus {
        let schema = try StoreSchema(backend)
        let storedClass = try storedClass(invocation.operands[1], in: schema)
        let words = invocation.operands[2]
        let query =
            try invocation.options.contains(.typed)
            ? SearchQuery(typed: words) : SearchQuery(words)
        var status = ExitStatus.sound
        let store = try Store(describedBy: schema, reading: backend, over: backend) {
            _, row, problem in
            guard let problem else { return }
            status = .findings
            say("cabinet-inspect: row \(row): \(problem)")
        }
        let found = try store.searchRecords(
            of: storedClass.name, query, in: invocation.field, limit: invocation.limit)
        let unused = store.unusedTexts(of: storedClass.name)
        if invocation.options.contains(.explain) {
            explain(found.plan, unused, invocation)
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
        for index in unused {
            say("cabinet-inspect: the text index \(index.name) was not used: \(index.reason).")
        }
        if !invocation.wantsJSON {
            say("\(found.totalCount.counted("record")) found.")
        }
        return status
    }
}
