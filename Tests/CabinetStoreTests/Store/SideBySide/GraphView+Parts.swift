import CabinetBackend

@testable import CabinetTestModel

/// The fields of a graph, one by one.
extension GraphView {
    /// One field of an object, or its being there.
    struct Part: Hashable, CustomStringConvertible {
        let kind: String
        let row: RowID
        let field: String
        var description: String { "\(field) of \(kind) \(row)" }
    }

    /// What differs between two views, but for lists and topics, whose elements count one by one.
    func parts(unlike other: GraphView) -> Set<Part> {
        var parts: Set<Part> = []
        func compare<Row>(
            _ kind: String, _ these: [RowID: Row], _ those: [RowID: Row],
            _ fields: [(String, (Row) -> AnyHashable)]
        ) {
            for row in Set(these.keys).union(those.keys) {
                guard let one = these[row], let two = those[row] else {
                    parts.insert(Part(kind: kind, row: row, field: "being"))
                    continue
                }
                for (name, value) in fields where value(one) != value(two) {
                    parts.insert(Part(kind: kind, row: row, field: name))
                }
            }
        }
        compare(
            "volume", volumes, other.volumes,
            [
                ("title", { $0.title }), ("seconds", { $0.seconds }),
                ("bookcase", { $0.bookcase }), ("jacket", { $0.jacket }),
            ])
        compare(
            "bookcase", cases, other.cases, [("title", { $0.title }), ("year", { $0.year })])
        compare("topic", topics, other.topics, [("name", { $0 })])
        compare("jacket", jackets, other.jackets, [("name", { $0 })])
        return parts
    }
}
