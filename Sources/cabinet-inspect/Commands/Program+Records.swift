import CabinetBackend
import CabinetTokyo
import Foundation

extension Program {
    /// There is no class of that name.
    struct UnknownClass: Error, CustomStringConvertible {
        let name: String
        let known: [String]

        var description: String {
            "There is no class \"\(name)\". There are: \(known.joined(separator: ", "))."
        }
    }

    func dump(_ backend: TokyoBackend, _ invocation: Invocation) throws -> ExitStatus {
        let name = invocation.operands[1]
        let classes = try backend.tables().filter { $0.kind == .record }
        guard let table = classes.first(where: { $0.name == name }) else {
            throw UnknownClass(name: name, known: classes.map(\.name))
        }
        if invocation.operands.count > 2 {
            return try dump(backend, table, row: invocation.operands[2], invocation)
        }
        let cursor = try backend.records(in: table.number)
        let run = RecordRun()
        while try cursor.next(run) {
            while let (row, value) = run.next() { write(row, value, invocation) }
        }
        return .sound
    }

    private func dump(
        _ backend: TokyoBackend, _ table: TableDefinition, row text: String,
        _ invocation: Invocation
    ) throws -> ExitStatus {
        guard let row = RowID(text), row > 0, row < .max else { throw UsageError.badRow(text) }
        let buffer = DataBuffer()
        guard try backend.value(of: row, in: table.number, into: buffer) else {
            say("cabinet-inspect: \(table.name) has no row \(row).")
            return .failed
        }
        buffer.withUnsafeBytes { write(row, $0, invocation) }
        return .sound
    }

    private func write(_ row: RowID, _ value: UnsafeRawBufferPointer, _ invocation: Invocation) {
        let hex = Self.hex(value)
        let json = JSONValue.members(
            ("row", .count(row)), ("bytes", .count(value.count)), ("hex", .text(hex)))
        answer(invocation, json, ["\(row)  \(hex)"])
    }

    static func hex(_ bytes: UnsafeRawBufferPointer) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

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
