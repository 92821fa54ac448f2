import Cabinet
import CabinetTokyo

extension Program {
    func schema(_ backend: any Backend, _ invocation: Invocation) throws -> ExitStatus {
        let schema = try StoreSchema(backend)
        let counts = try schema.classes.map { try backend.count(of: $0.table) }
        let pairs = zip(schema.classes, counts)
        let json = JSONValue.members(
            ("versioning", schema.versioning.map { .text($0.rawValue) }),
            ("classes", .list(pairs.map { Self.json($0, count: $1) })))
        let lines = pairs.map { Self.lines($0, count: $1) }.joined(separator: [""])
        answer(invocation, json, Array(lines))
        return schema.classes.allSatisfy { $0.problem == nil } ? .sound : .findings
    }

    // MARK: JSON

    private static func json(_ storedClass: StoreSchema.Class, count: Int) -> JSONValue {
        .members(
            ("name", .text(storedClass.name)), ("number", .count(storedClass.number)),
            ("version", .count(storedClass.version)), ("records", .count(count)),
            ("declared", .truth(storedClass.isDeclared)),
            ("tracksReferrers", .truth(storedClass.tracksReferrers)),
            ("problem", storedClass.problem.map { .text($0.description) }),
            ("layouts", .list(storedClass.layouts.map(json))))
    }

    private static func json(_ layout: StoreSchema.Layout) -> JSONValue {
        .members(
            ("number", .count(layout.number)), ("version", .count(layout.version)),
            ("handWritten", layout.fields == nil ? .truth(true) : nil),
            ("fields", layout.fields.map { .list($0.map(json)) }))
    }

    private static func json(_ field: StoreSchema.Field) -> JSONValue {
        .members(
            ("name", .text(field.name)), ("type", .text(field.type)),
            ("optional", .truth(field.isOptional)),
            (
                "relationship",
                field.relationship.map { relationship in
                    .members(
                        ("target", .text(relationship.target)),
                        ("many", .truth(relationship.isToMany)),
                        ("inverse", relationship.inverse.map { .text($0) }),
                        ("deleteRule", relationship.deleteRule.map { .text($0.rawValue) }),
                        ("unique", .truth(relationship.isUnique)))
                }
            ))
    }

    // MARK: Text

    private static func lines(_ storedClass: StoreSchema.Class, count: Int) -> [String] {
        var lines = [
            "\(storedClass.name)  class \(storedClass.number), version \(storedClass.version), "
                + count.counted("record")
        ]
        if storedClass.tracksReferrers { lines.append("  keeps who refers to its objects") }
        if let problem = storedClass.problem { lines.append("  \(problem)") }
        if storedClass.layouts.isEmpty, storedClass.problem == nil {
            lines.append("  written by hand: only the class itself can read its records")
        }
        for layout in storedClass.layouts {
            let version = "version \(layout.version)"
            guard let fields = layout.fields else {
                lines.append("  layout \(layout.number), \(version): written by hand")
                continue
            }
            lines.append("  layout \(layout.number), \(version)")
            let rows = fields.map { [$0.name, $0.type, facts(of: $0)] }
            lines += Columns.lines(rows).map { "    \($0)" }
        }
        return lines
    }

    /// What is known of a relationship beside its type.
    private static func facts(of field: StoreSchema.Field) -> String {
        guard let relationship = field.relationship else { return "" }
        var facts: [String] = []
        if let inverse = relationship.inverse {
            facts.append("inverse \(relationship.target).\(inverse)")
        }
        if let rule = relationship.deleteRule { facts.append("on delete \(rule.rawValue)") }
        if relationship.isUnique { facts.append("unique") }
        return facts.joined(separator: ", ")
    }
}
