import Cabinet
import CabinetBackend

/// Makes the graph of a store's classes: an arrow for each relationship, one for both where either
/// is the other's inverse.
struct ClassGraph {
    private let schema: StoreSchema
    private var graph = Graph()
    /// Relationships that the arrow of their inverse already shows.
    private var drawn: Set<[String]> = []

    static func graph(of schema: StoreSchema, in backend: any Backend) throws -> Graph {
        var maker = ClassGraph(schema)
        for storedClass in schema.classes {
            try maker.addNode(storedClass, count: backend.count(of: storedClass.table))
        }
        for storedClass in schema.classes { maker.addEdges(of: storedClass) }
        return maker.graph
    }

    private init(_ schema: StoreSchema) { self.schema = schema }

    private mutating func addNode(_ storedClass: StoreSchema.Class, count: Int) {
        let fields = storedClass.fields.filter { $0.relationship == nil }
            .map { "\($0.name): \($0.type)" }
        let nature: [String] =
            if storedClass.problem != nil {
                ["its catalog entry cannot be understood"]
            } else if !storedClass.isDeclared { ["written by hand"] } else { [] }
        let title = "\(storedClass.name) (\(count))"
        graph.nodes.append(Graph.Node(id: storedClass.name, lines: [title] + nature + fields))
    }

    private mutating func addEdges(of storedClass: StoreSchema.Class) {
        for field in storedClass.fields {
            guard let relationship = field.relationship,
                !drawn.contains([storedClass.name, field.name])
            else { continue }
            if schema[relationship.target] == nil { addForeign(relationship.target) }
            var edge = Graph.Edge(
                from: storedClass.name, to: relationship.target,
                label: Self.label(field.name, relationship))
            if let other = inverse(of: relationship, field.name, storedClass.name) {
                drawn.insert([relationship.target, other.name])
                edge.isBothWays = true
                if let back = other.relationship,
                    (relationship.target, other.name) != (storedClass.name, field.name)
                {
                    edge.label += " / " + Self.label(other.name, back)
                }
            }
            graph.edges.append(edge)
        }
    }

    /// A class that the store has no table of: one for any object, or one that was never saved.
    private mutating func addForeign(_ name: String) {
        guard !graph.nodes.contains(where: { $0.id == name }) else { return }
        graph.nodes.append(Graph.Node(id: name, lines: [name], isFaint: true))
    }

    private func inverse(
        of relationship: StoreSchema.Relationship, _ name: String, _ owner: String
    ) -> StoreSchema.Field? {
        guard let inverse = relationship.inverse else { return nil }
        return schema[relationship.target]?.fields.first { field in
            field.name == inverse && field.relationship?.inverse == name
                && field.relationship?.target == owner
        }
    }

    /// The name, a star for many, and what a delete does.
    private static func label(_ name: String, _ relationship: StoreSchema.Relationship) -> String {
        let rule = relationship.deleteRule.map { " (\($0.rawValue))" } ?? ""
        return name + (relationship.isToMany ? " *" : "") + rule
    }
}
