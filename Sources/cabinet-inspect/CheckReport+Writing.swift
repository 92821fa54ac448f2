import Cabinet

extension CheckReport {
    /// How many things are wrong, what was not kept included.
    var faultCount: Int {
        counts.reduce(0) { $0 + ($1.key.isFault ? $1.value : 0) }
    }
}

extension Program {
    static func json(_ graph: CheckReport) -> JSONValue {
        .members(
            ("sound", .truth(graph.isSound)), ("records", .count(graph.records)),
            ("references", .count(graph.references)),
            ("counts", members(graph.counts.map { ($0.rawValue, $1) })),
            ("unread", members(graph.unread.map { ($0, $1) })),
            ("findings", .list(graph.findings.map(json))))
    }

    private static func json(_ finding: CheckFinding) -> JSONValue {
        .members(
            ("kind", .text(finding.kind.rawValue)),
            ("class", finding.className.map { .text($0) }),
            ("row", finding.row.map { .count($0.rawValue) }),
            ("field", finding.field.map { .text($0) }),
            ("target", finding.target?.json), ("reason", finding.reason.map { .text($0) }))
    }

    private static func members(_ counts: [(String, Int)]) -> JSONValue {
        .object(
            counts.sorted { $0.0 < $1.0 }
                .map { JSONValue.Member(name: $0, value: .count($1)) })
    }

    /// What is wrong, a line each, and then what is not wrong but good to know.
    static func lines(_ graph: CheckReport) -> [String] {
        var lines = graph.findings.filter(\.kind.isFault).map(\.description)
        let left = graph.faultCount - lines.count
        if left > 0 { lines.append("and \(left) more") }
        if let loose = graph.counts[.looseReference], loose > 0 {
            lines.append(
                loose == 1
                    ? "1 reference leads to an object that was deleted, where nothing takes it out."
                    : "\(loose) references lead to objects that were deleted, where nothing takes "
                        + "them out."
            )
        }
        for (name, count) in graph.unread.sorted(by: { $0.key < $1.key }) {
            lines.append("\(count.counted("record")) of \(name) only the class itself can read.")
        }
        return lines
    }
}
