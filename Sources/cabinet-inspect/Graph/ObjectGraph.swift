import Cabinet
import CabinetBackend

/// Makes the graph of the objects around one: those that it refers to, those that they refer to,
/// and so on.
struct ObjectGraph {
    /// At most so many objects are shown.
    static let nodeLimit = 500
    /// At most so many of the objects in one relationship are shown.
    static let fieldLimit = 100
    static let usualDepth = 2
    /// How many characters of an object's text are shown.
    private static let textLimit = 40

    private let backend: any Backend
    private let decoder: RecordDecoder
    private let buffer = DataBuffer()
    private var graph = Graph()
    private var known: Set<String> = []
    private var edges: [[String]: Int] = [:]
    private var waiting: [(reference: FieldValue.Reference, depth: Int)] = []

    /// - Parameter depth: how many arrows away from the object at most; 0 for it alone.
    static func graph(
        around root: FieldValue.Reference, depth: Int, _ schema: StoreSchema,
        in backend: any Backend
    ) throws -> Graph {
        var maker = ObjectGraph(schema, backend)
        maker.note(root, depth: 0)
        var next = 0
        while next < maker.waiting.count {
            let (reference, distance) = maker.waiting[next]
            next += 1
            try maker.show(reference, isLast: distance >= depth, distance)
        }
        return maker.graph
    }

    private init(_ schema: StoreSchema, _ backend: any Backend) {
        self.backend = backend
        decoder = RecordDecoder(schema)
    }

    /// Whether the object is shown, now or later.
    @discardableResult
    private mutating func note(_ reference: FieldValue.Reference, depth: Int) -> Bool {
        if known.contains(reference.line) { return true }
        guard known.count < Self.nodeLimit else { return false }
        known.insert(reference.line)
        waiting.append((reference, depth))
        return true
    }

    private mutating func show(
        _ reference: FieldValue.Reference, isLast: Bool, _ depth: Int
    ) throws {
        let id = reference.line
        guard let storedClass = reference.className.flatMap({ decoder.schema[$0] }),
            try backend.value(of: reference.row, in: storedClass.table, into: buffer)
        else {
            graph.nodes.append(Graph.Node(id: id, lines: [id, "not there"], isFaint: true))
            return
        }
        let record: DecodedRecord
        do {
            record = try buffer.withUnsafeBytes { bytes throws(StoreError) in
                try decoder.decode(bytes, row: reference.row, of: storedClass)
            }
        } catch {
            graph.nodes.append(Graph.Node(id: id, lines: [id, "cannot be read"], isFaint: true))
            return
        }
        let text = record.fields.map(Self.text) ?? "written by hand"
        graph.nodes.append(Graph.Node(id: id, lines: [id] + [text].compactMap { $0 }))
        for field in record.fields ?? [] {
            let inverse = storedClass.fields.first { $0.name == field.name }?.relationship?.inverse
            addEdges(field, id, inverse, isLast: isLast, depth)
        }
    }

    private mutating func addEdges(
        _ field: DecodedField, _ owner: String, _ inverse: String?, isLast: Bool, _ depth: Int
    ) {
        var missing = 0
        for (index, reference) in field.value.references.enumerated() {
            let isShown =
                isLast || index >= Self.fieldLimit
                ? known.contains(reference.line) : note(reference, depth: depth + 1)
            if isShown {
                addEdge(owner, field.name, reference.line, inverse)
            } else {
                missing += 1
            }
        }
        // How far it goes is for the user to say; what a limit leaves out is said.
        guard missing > 0, !isLast else { return }
        let id = "\(owner).\(field.name)"
        graph.nodes.append(Graph.Node(id: id, lines: ["\(missing) more"], isFaint: true))
        graph.edges.append(Graph.Edge(from: owner, to: id, label: field.name))
    }

    /// One arrow stands for a reference and the one that leads back, and for several of the same.
    private mutating func addEdge(
        _ owner: String, _ field: String, _ target: String, _ inverse: String?
    ) {
        if edges[[owner, field, target]] != nil { return }
        if let inverse, let position = edges[[target, inverse, owner]] {
            if !graph.edges[position].isBothWays {
                graph.edges[position].isBothWays = true
                graph.edges[position].label += " / " + field
            }
            edges[[owner, field, target]] = position
            return
        }
        edges[[owner, field, target]] = graph.edges.count
        graph.edges.append(Graph.Edge(from: owner, to: target, label: field))
    }

    /// The first text that says anything.
    private static func text(_ fields: [DecodedField]) -> String? {
        for field in fields {
            guard case .text(let text) = field.value, !text.isEmpty else { continue }
            return text.count > textLimit ? text.prefix(textLimit - 1) + "…" : text
        }
        return nil
    }
}

extension FieldValue {
    fileprivate var references: [Reference] {
        switch self {
        case .reference(let reference): [reference]
        case .references(let references): references
        default: []
        }
    }
}
