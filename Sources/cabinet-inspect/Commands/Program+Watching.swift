import Cabinet
import CabinetBackend
import CabinetTokyo

extension Program {
    /// Shows the records that a query in text gives, and what commits of other programs change of them.
    /// What cannot be read is said once.
    func watch(_ backend: any Backend, _ invocation: Invocation) async throws -> ExitStatus {
        var left = invocation.times
        var records = WatchedRecords()
        var known: CommitNumber?
        var status = ExitStatus.sound
        while true {
            // A program is not told of what another process commits.
            let commit = try backend.refresh()
            if commit != known {
                let asking = known == nil ? self : Program(print: print, say: { _ in })
                var found: [ShownRecord] = []
                let outcome = try asking.query(backend, invocation) { found.append($0) }
                if outcome != .sound { status = outcome }
                let changes = records.take(found)
                if known == nil || !changes.isEmpty {
                    show(changes, of: found.count, at: commit, invocation)
                    if left == 0 { return status }
                    left = left.map { $0 - 1 }
                }
                known = commit
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private func show(
        _ changes: [WatchedRecords.Change], of count: Int, at commit: CommitNumber,
        _ invocation: Invocation
    ) {
        for change in changes {
            answer(
                invocation,
                .members(
                    ("commit", .number(commit.rawValue)), ("change", .text(change.kind.rawValue)),
                    ("record", change.record.json)),
                ["\(change.kind.sign) \(change.record.line)"])
        }
        if !invocation.wantsJSON { print("\(count.counted("record")) as of save \(commit).") }
    }
}

/// The records of a query that is asked again and again.
private struct WatchedRecords {
    struct Change {
        enum Kind: String {
            case inserted, deleted, updated

            var sign: String {
                switch self {
                case .inserted: "+"
                case .deleted: "-"
                case .updated: "~"
                }
            }
        }

        let kind: Kind
        let record: ShownRecord
    }

    private var records: [ShownRecord] = []

    /// What has changed since the last answer, of which there was none at first: first what is gone, in the
    /// order of that one, then the rest in the order of this one.
    mutating func take(_ found: [ShownRecord]) -> [Change] {
        let lines = Dictionary(uniqueKeysWithValues: records.map { ($0.row, $0.line) })
        let rows = Set(found.map(\.row))
        let gone = records.filter { !rows.contains($0.row) }
        records = found
        return gone.map { Change(kind: .deleted, record: $0) }
            + found.compactMap { record in
                guard let line = lines[record.row] else {
                    return Change(kind: .inserted, record: record)
                }
                return line == record.line ? nil : Change(kind: .updated, record: record)
            }
    }
}
