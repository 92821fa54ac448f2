import Cabinet
import CabinetBackend
import CabinetTokyo
import Foundation

extension Program {
    func names(_ backend: any Backend, _ invocation: Invocation) throws -> ExitStatus {
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

    func commitLog(_ backend: TokyoBackend, _ invocation: Invocation) throws -> ExitStatus {
        let known = try backend.tables().map { ($0.number, $0.name) }
        let names = Dictionary(uniqueKeysWithValues: known)
            .merging([.catalog: "Catalog", .namedBuffers: "NamedBuffers"]) { $1 }
        try backend.forEachSave { save throws(BackendError) in
            let author = try backend.author(save.author)
            let time = Date(timeIntervalSince1970: Double(save.time) / 1_000_000)
                .formatted(.iso8601)
            let changes = save.changes.map { change in
                (name: names[change.table] ?? "table \(change.table)", change: change)
            }
            let json = JSONValue.members(
                ("save", .number(save.number.rawValue)), ("time", .text(time)),
                ("microseconds", .number(save.time)), ("bytes", .number(save.bytes)),
                ("durability", .text(save.isFull ? "full" : "process")),
                ("author", save.author == 0 ? nil : .count(save.author)),
                ("authorName", author.map { .text($0) }),
                ("notes", save.notes.isEmpty ? nil : .list(save.notes.map(Self.json))),
                (
                    "changes",
                    .list(
                        changes.map { name, change in
                            .members(
                                ("table", .text(name)), ("puts", .count(change.puts)),
                                ("deletes", .count(change.deletes)))
                        })
                ))
            let text =
                changes.map { "\($0.name) +\($0.change.puts) -\($0.change.deletes)" }
                + (save.author == 0
                    ? []
                    : ["author \(author.map { JSONValue.text($0).written } ?? "\(save.author)")"])
                + save.notes.map(Self.text)
            answer(
                invocation, json,
                ["\(save.number)  \(time)  \(save.bytes) bytes  \(text.joined(separator: ", "))"])
        }
        return .sound
    }

    private static func json(_ note: LoggedNote) -> JSONValue {
        .members(
            ("tag", .count(note.tag)), ("text", String(readable: note).map { .text($0) }),
            ("bytes", .text(note.bytes.withUnsafeBytes { hex($0) })))
    }

    /// A note may hold anything: its text is quoted, and what is no text is counted.
    private static func text(_ note: LoggedNote) -> String {
        let content = String(readable: note).map { JSONValue.text($0).written }
        return "note \(note.tag) \(content ?? note.bytes.count.counted("byte"))"
    }
}

extension String {
    /// `nil` if the note is no text: not UTF-8, or with control characters in it.
    fileprivate init?(readable note: LoggedNote) {
        guard let text = String(validating: note.bytes, as: UTF8.self),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        self = text
    }
}
