import Cabinet
import CabinetBackend
import CabinetTokyo

extension Program {
    func referrers(_ backend: any Backend, _ invocation: Invocation) throws -> ExitStatus {
        let schema = try StoreSchema(backend)
        let storedClass = try storedClass(invocation.operands[1], in: schema)
        let row = try Self.row(invocation.operands[2])
        let search = try ReferrerSearch(of: row, in: storedClass, schema, backend)
        for referrer in search.referrers {
            answer(
                invocation,
                .members(
                    ("class", referrer.owner.className.map { .text($0) }),
                    ("row", .count(referrer.owner.row.rawValue)),
                    ("field", referrer.field.map { .text($0) })),
                ["\(referrer.owner.line)  \(referrer.field ?? "(written by hand)")"])
        }
        let name = "\(storedClass.name) \(row)"
        if search.referrers.isEmpty { say("Nothing is seen to refer to \(name).") }
        if try !backend.value(of: row, in: storedClass.table, into: DataBuffer()) {
            say("\(name) is not there.")
        }
        for (name, count) in search.unread.sorted(by: { $0.key < $1.key }) {
            say("\(count.counted("record")) of \(name) cannot be read here, and may refer to it.")
        }
        return .sound
    }
}
