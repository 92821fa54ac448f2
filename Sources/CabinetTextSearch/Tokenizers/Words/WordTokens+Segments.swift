/// Words that are not all ASCII.
extension WordTokens {
    /// Gives the terms of the segment that begins at `start`, and returns its end.
    func takeSegment(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ purpose: TokenPurpose,
        _ position: inout Int, _ body: (Token) throws -> Void
    ) rethrows -> Int {
        var segment = WordSegment(bytes, at: start)
        switch segment.take() {
        case .nothing: break
        case .word:
            let range = start..<segment.end
            workspace.term.removeAll()
            Self.fold(bytes, range, options.wordFolding, &workspace.term)
            guard workspace.term.count > 0 else { break }
            try finish(range, purpose, position, isJoined: true, body)
            position += 1
        case .emoji:
            let range = start..<segment.end
            workspace.term.removeAll()
            Self.fold(bytes, range, options.folding, &workspace.term)
            guard workspace.term.count > 0 else { break }
            if !options.stopWords.contains(workspace.term.bytes) {
                try body(Token(term: workspace.term.bytes, position: position, range: range))
            }
            position += 1
        case .units:
            try giveUnits(bytes, start..<segment.end, purpose, &position, body)
        }
        return segment.end
    }

    static func fold(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ folding: ScalarFolding,
        _ term: inout TermBuffer
    ) {
        var scalars = FoldedScalars(bytes, range, folding)
        while !term.isFull, let scalar = scalars.next() {
            UTF8Decoding.append(scalar.value, to: &term)
        }
    }

    /// Gives each letter of a run, and each with the next one. A query needs the pairs only, or its one
    /// letter.
    private func giveUnits(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ purpose: TokenPurpose,
        _ position: inout Int, _ body: (Token) throws -> Void
    ) rethrows {
        var scalars = FoldedScalars(bytes, range, options.folding)
        guard var unit = scalars.next() else { return }
        let first = position
        while true {
            let next = scalars.next()
            if purpose == .text || (next == nil && position == first) {
                try give(unit, nil, position, body)
            }
            if let next { try give(unit, next, position, body) }
            position += 1
            guard let next else { return }
            unit = next
        }
    }

    private func give(
        _ unit: FoldedScalars.Element, _ next: FoldedScalars.Element?, _ position: Int,
        _ body: (Token) throws -> Void
    ) rethrows {
        workspace.term.removeAll()
        UTF8Decoding.append(unit.value, to: &workspace.term)
        if let next { UTF8Decoding.append(next.value, to: &workspace.term) }
        if options.stopWords.contains(workspace.term.bytes) { return }
        let range = unit.range.lowerBound..<(next ?? unit).range.upperBound
        let span = next == nil ? 1 : 2
        try body(
            Token(term: workspace.term.bytes, position: position, range: range, span: span))
    }
}
