/// A field that a search looks into: its name in queries, and how its text is taken apart.
package struct SearchedField: Sendable, Hashable {
    let name: String
    let tokenizer: Tokenizer

    package init(name: String, tokenizer: Tokenizer) {
        (self.name, self.tokenizer) = (name, tokenizer)
    }
}

/// A query for fields of which the tokenizers are known. `Sendable`: a value.
package struct CompiledSearch: Sendable {
    package indirect enum Node: Sendable {
        case all([Node])
        case any([Node])
        case not(Node)
        /// Leaves that stand near to each other in one of these fields.
        case near([Int], distance: Int, fields: [Int])
        case leaf(Int)

        package var isNot: Bool { if case .not = self { true } else { false } }
    }

    package struct Leaf: Sendable {
        /// The fields that are asked.
        package let fields: [Int]
        /// Of each field, what it has to contain: one of these lists of terms. Empty for a field that is
        /// not asked, or in which the text has no term.
        package let patterns: [[[TermPattern]]]
        /// Whether what is found can contain it: it counts in scores and highlights.
        package let isWanted: Bool
        /// Whether it may be missing: in one of the fields that are asked it has no term, as a stop word, or
        /// is one so far.
        package let isOptional: Bool
    }

    package let fields: [SearchedField]
    package private(set) var leaves: [Leaf] = []
    /// `nil` finds nothing.
    package private(set) var root: Node?
    /// Whether what is found may differ from what was asked for.
    package var mayHaveTypos: Bool {
        leaves.contains { leaf in
            leaf.patterns.joined().joined().contains {
                if case .fuzzy = $0.kind { true } else { false }
            }
        }
    }

    package init(_ query: SearchQuery, _ fields: [SearchedField]) {
        self.fields = fields
        let workspace = TokenWorkspace()
        root = query.expression.map {
            compile($0, Array(fields.indices), isWanted: true, workspace)
        }
    }

    private mutating func compile(
        _ expression: SearchExpression, _ scope: [Int], isWanted: Bool,
        _ workspace: TokenWorkspace
    ) -> Node {
        switch expression {
        case .all(let parts):
            return .all(parts.map { compile($0, scope, isWanted: isWanted, workspace) })
        case .any(let parts):
            return .any(parts.map { compile($0, scope, isWanted: isWanted, workspace) })
        case .not(let part): return .not(compile(part, scope, isWanted: false, workspace))
        case .field(let name, _, let part):
            // The name that is nearest to a word counts.
            let named = fields.indices.filter { fields[$0].name == name }
            return compile(part, named, isWanted: isWanted, workspace)
        case .near(let parts, let distance):
            let numbers = parts.map { add($0, scope, isWanted, workspace) }
            return .near(numbers, distance: distance, fields: scope)
        case .leaf(let leaf): return .leaf(add(leaf, scope, isWanted, workspace))
        }
    }

    private mutating func add(
        _ leaf: SearchLeaf, _ scope: [Int], _ isWanted: Bool, _ workspace: TokenWorkspace
    ) -> Int {
        let patterns = fields.indices.map { index in
            scope.contains(index) ? leaf.patterns(fields[index].tokenizer, workspace) : .none
        }
        leaves.append(
            Leaf(
                fields: scope, patterns: patterns.map(\.alternatives), isWanted: isWanted,
                isOptional: scope.contains { patterns[$0].mayBeMissing }))
        return leaves.count - 1
    }
}
