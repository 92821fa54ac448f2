import Cabinet
import CabinetBackend
import CabinetTokyo
import Foundation

extension Program {
    func names(_ backend: TokyoBackend, _ invocation: Invocation) throws -> ExitStatus {
        var found: [(name: String, size: Int)] = []
        let cursor = try backend.entries(
            in: .namedBuffers, range: .everything, descending: false)
        let run = EntryRun()
        while try cursor.next(run) {
            while let (key, value) = run.next() {
                found.append((String(decoding: key, as: UTF8.self), value.count))
            }
        }
        found.sort { $0.name < $1.name }
        if invocation.wantsJSON {
            for (name, size) in found {
                print(JSONValue.members(("name", .text(name)), ("bytes", .count(size))).written)
            }
        } else {
            // A name may hold anything; nothing in it steers the terminal.
            let rows = found.map { [JSONValue.text($0.name).written, "\($0.size) bytes"] }
            Columns.lines(rows).forEach(print)
        }
        return .sound
    }

    func journal(_ backend: TokyoBackend, _ invocation: Invocation) throws -> ExitStatus {
        let known = try backend.tables().map { ($0.number, $0.name) }
        let names = Dictionary(uniqueKeysWithValues: known)
            .merging([.catalog: "Catalog", .namedBuffers: "NamedBuffers"]) { $1 }
        try backend.forEachSave { save in
            let time = Date(timeIntervalSince1970: Double(save.time) / 1_000_000)
                .formatted(.iso8601)
            let changes = save.changes.map { change in
                (name: names[change.table] ?? "table \(change.table)", change: change)
            }
            let json = JSONValue.members(
                ("save", .number(save.number)), ("time", .text(time)),
                ("microseconds", .number(save.time)), ("bytes", .number(save.bytes)),
                ("durability", .text(save.isFull ? "full" : "process")),
                (
                    "changes",
                    .list(
                        changes.map { name, change in
                            .members(
                                ("table", .text(name)), ("puts", .count(change.puts)),
                                ("deletes", .count(change.deletes)))
                        })
                ))
            let text = changes.map { "\($0.name) +\($0.change.puts) -\($0.change.deletes)" }
            answer(
                invocation, json,
                ["\(save.number)  \(time)  \(save.bytes) bytes  \(text.joined(separator: ", "))"])
        }
        return .sound
    }
}
