/// Takes a text apart into terms of three folded scalars.
struct GramTokens {
    /// So many scalars a term has, but for those at the end.
    static let length = 3

    private let workspace: TokenWorkspace
    private let folding = ScalarFolding.plain

    init(_ workspace: TokenWorkspace) { self.workspace = workspace }

    /// Calls `body` for each term. For a query, those at the end that are shorter than ``length`` are
    /// left out, unless the whole text is shorter: then it is one term, a beginning of others.
    func forEach(
        in bytes: UnsafeBufferPointer<UInt8>, for purpose: TokenPurpose,
        _ body: (Token) throws -> Void
    ) rethrows {
        var scalars = FoldedScalars(bytes, 0..<bytes.count, folding)
        let empty = FoldedScalars.Element(value: 0, range: 0..<0)
        var window = (empty, empty, empty)
        var held = 0
        var position = 0
        while let next = scalars.next() {
            window = (window.1, window.2, next)
            held += 1
            guard held >= Self.length else { continue }
            try give([window.0, window.1, window.2], position, body)
            position += 1
            held = Self.length - 1
        }
        if purpose != .text, position > 0 { return }
        if held >= 2 {
            try give([window.1, window.2], position, body)
            position += 1
        }
        if held >= 1, purpose == .text || position == 0 {
            try give([window.2], position, body)
        }
    }

    private func give(
        _ scalars: [FoldedScalars.Element], _ position: Int, _ body: (Token) throws -> Void
    ) rethrows {
        workspace.term.removeAll()
        for scalar in scalars { UTF8Decoding.append(scalar.value, to: &workspace.term) }
        let range = scalars[0].range.lowerBound..<scalars[scalars.count - 1].range.upperBound
        try body(Token(term: workspace.term.bytes, position: position, range: range))
    }
}
