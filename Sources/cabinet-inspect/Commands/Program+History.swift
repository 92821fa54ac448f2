import Cabinet
import CabinetBackend
import Foundation

extension Program {
    /// Shows what commits have done to one object.
    func history(_ backend: any Backend, _ invocation: Invocation) throws -> ExitStatus {
        let storedClass = try storedClass(invocation.operands[1], in: try StoreSchema(backend))
        let row = try Self.row(invocation.operands[2])
        let events = try backend.events(ofRow: row, in: storedClass.table)
        for event in events {
            let time = event.date.formatted(.iso8601)
            let change = ShownChange(event.kind)
            answer(
                invocation,
                .members(
                    ("commit", .number(event.commit.rawValue)), ("time", .text(time)),
                    ("author", event.author.map { .text($0) }),
                    ("notes", event.notes.isEmpty ? nil : .list(event.notes.map { .text($0) })),
                    ("change", .text(change.name)), ("fields", change.json)),
                [
                    (["\(event.commit)", time, event.author, change.name] + change.fields
                        + event.notes.map { JSONValue.text($0).written }).compactMap { $0 }
                        .joined(separator: "  ")
                ])
        }
        if events.isEmpty {
            say("Nothing is known of what commits have done to \(storedClass.name) \(row).")
        }
        return .sound
    }

    /// Shows what differs between two commits.
    func diff(_ backend: any Backend, _ invocation: Invocation) throws -> ExitStatus {
        let first = try Self.commit(invocation.operands[1])
        let second =
            try invocation.operands.count > 2
            ? Self.commit(invocation.operands[2]) : backend.lastCommit()
        for found in try backend.netChanges(from: first, to: second) {
            let change = ShownChange(found.kind)
            answer(
                invocation,
                .members(
                    ("class", .text(found.className)), ("row", .count(found.id.rowID.rawValue)),
                    ("change", .text(change.name)), ("fields", change.json)),
                [
                    (["\(found.className) \(found.id.rowID)", change.name] + change.fields)
                        .joined(separator: "  ")
                ])
        }
        return .sound
    }

    /// Shows the records of a class as of an earlier moment.
    func asOf(_ backend: any Backend, _ invocation: Invocation) throws -> ExitStatus {
        let reader = try backend.reader(asOf: Self.moment(invocation.operands[2]))
        return try query(
            backend, reading: reader, invocation.operands.count > 3 ? invocation.operands[3] : "",
            invocation
        ) { answer(invocation, $0.json, [$0.line]) }
    }

    static func commit(_ text: String) throws(UsageError) -> CommitNumber {
        guard let number = UInt64(text) else { throw .badCommit(text) }
        return CommitNumber(number)
    }

    /// A commit's number; or a day, which is meant to its end, or a time, as ISO 8601 has them.
    static func moment(_ text: String) throws(UsageError) -> PastMoment {
        if let number = UInt64(text) { return .commit(CommitNumber(number)) }
        if let date = try? Date(text, strategy: .iso8601) { return .date(date) }
        if let day = try? Date(text, strategy: .iso8601.year().month().day()) {
            return .date(day.addingTimeInterval(86_400 - 0.000_001))
        }
        throw .badMoment(text)
    }
}

/// What became of an object, as it is shown.
struct ShownChange {
    let name: String
    private let values: [(name: String, old: FieldValue?, new: FieldValue?)]

    init(_ kind: ObjectEvent<StoredObject>.Kind) {
        switch kind {
        case .inserted(let fields):
            (name, values) = ("inserted", fields.map { ($0.name, nil, $0.value) })
        case .changed(let fields):
            (name, values) = ("changed", fields.map { ($0.name, $0.old, $0.new) })
        case .deleted(let fields):
            (name, values) = ("deleted", fields.map { ($0.name, $0.value, nil) })
        case .written(let fields):
            (name, values) = ("written", fields.map { ($0.name, nil, $0.value) })
        }
    }

    /// A text for each field: its value, or the old and the new one.
    var fields: [String] {
        values.map { field in
            "\(field.name): "
                + [field.old, field.new].compactMap { $0?.line }.joined(separator: " -> ")
        }
    }

    var json: JSONValue {
        .object(
            values.map { field in
                JSONValue.Member(
                    name: field.name,
                    value: .members(("old", field.old?.json), ("new", field.new?.json)))
            })
    }
}
