/// The language of Graphviz: https://graphviz.org/doc/info/lang.html
extension Graph {
    var dot: [String] {
        ["digraph store {", "    rankdir=LR;", "    node [shape=box, fontname=\"sans-serif\"];"]
            + ["    edge [fontname=\"sans-serif\", fontsize=10];"]
            + nodes.map { node in
                let style = node.isFaint ? ", style=dashed" : ""
                return "    \(Self.quoted(node.id)) [label=\(Self.quoted(node.lines))\(style)];"
            }
            + edges.map { edge in
                let direction = edge.isBothWays ? ", dir=both" : ""
                return "    \(Self.quoted(edge.from)) -> \(Self.quoted(edge.to)) "
                    + "[label=\(Self.quoted(edge.label))\(direction)];"
            } + ["}"]
    }

    private static func quoted(_ text: String) -> String { quoted([text]) }

    /// Lines as one text. In a text, `\` begins what stands for something else, and so does `&`.
    private static func quoted(_ lines: [String]) -> String {
        "\"" + lines.map(escaped).joined(separator: "\\n") + "\""
    }

    private static func escaped(_ line: String) -> String {
        var result = ""
        for scalar in line.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "&": result += "&amp;"
            case "\n", "\r", "\t": result += " "
            case _ where scalar.properties.generalCategory == .control: result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
