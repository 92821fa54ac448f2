import Cabinet

/// Boxes and the arrows between them.
struct Graph: Hashable, Sendable {
    struct Node: Hashable, Sendable {
        let id: String
        /// What stands in the box; the first line names it.
        var lines: [String]
        /// Whether it stands for what is not there, or for more than is shown.
        var isFaint = false
    }

    struct Edge: Hashable, Sendable {
        let from: String
        let to: String
        var label: String
        /// Whether it leads back, too.
        var isBothWays = false
    }

    var nodes: [Node] = []
    var edges: [Edge] = []

    var json: JSONValue {
        .members(
            (
                "nodes",
                .list(
                    nodes.map { node in
                        .members(
                            ("id", .text(node.id)), ("lines", .list(node.lines.map { .text($0) })),
                            ("faint", node.isFaint ? .truth(true) : nil))
                    })
            ),
            (
                "edges",
                .list(
                    edges.map { edge in
                        .members(
                            ("from", .text(edge.from)), ("to", .text(edge.to)),
                            ("label", .text(edge.label)), ("bothWays", .truth(edge.isBothWays)))
                    })
            ))
    }

    /// For a reader: the boxes, then the arrows.
    var lines: [String] {
        nodes.map { $0.lines.joined(separator: ", ") }
            + (edges.isEmpty ? [] : [""])
            + edges.map { "\($0.from) \($0.isBothWays ? "<->" : "->") \($0.to)  \($0.label)" }
    }
}
