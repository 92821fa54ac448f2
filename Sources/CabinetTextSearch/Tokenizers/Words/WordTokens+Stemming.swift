extension WordTokens {
    /// What begins a term that is a whole word, where there are stems too: no word has this byte.
    package static let wholeMark: UInt8 = 1

    /// Gives the word in the workspace, folded with its accents, unless it is a stop word.
    /// - Parameter isJoined: whether an apostrophe may join its parts.
    func finish(
        _ range: Range<Int>, _ purpose: TokenPurpose, _ position: Int, isJoined: Bool,
        _ body: (Token) throws -> Void
    ) rethrows {
        if isStopped(purpose) { return }
        if isJoined, Self.isJoined(workspace.term.bytes) {
            return try finishJoined(range, purpose, position, body)
        }
        try give(range, purpose, position, body)
    }

    /// Whether the word in the workspace is one that is not found.
    func isStopped(_ purpose: TokenPurpose) -> Bool {
        purpose != .wholeWords && options.stopWords.contains(workspace.term.bytes)
    }

    /// Gives the word in the workspace: as its stem, and behind ``wholeMark`` as it is. Parts of words and
    /// typos are looked for in the latter. The word in the workspace is its stem then.
    func give(
        _ range: Range<Int>, _ purpose: TokenPurpose, _ position: Int,
        _ body: (Token) throws -> Void
    ) rethrows {
        guard let stemmer = options.stemmer else {
            try body(Token(term: workspace.term.bytes, position: position, range: range))
            return
        }
        if purpose != .query {
            keepWhole()
            // A word of accents alone has nothing behind the mark.
            guard workspace.whole.count > 1 else { return }
            try body(Token(term: workspace.whole.bytes, position: position, range: range))
        }
        guard purpose != .wholeWords else { return }
        stemmer.stem(&workspace.term, &workspace.letters)
        if !options.folding.keepsMarks, !workspace.term.isASCII {
            let stem = Array(workspace.term.bytes)
            workspace.term.removeAll()
            stem.withUnsafeBufferPointer {
                Self.fold($0, 0..<$0.count, options.folding, &workspace.term)
            }
        }
        guard workspace.term.count > 0 else { return }
        try body(Token(term: workspace.term.bytes, position: position, range: range))
    }

    private func keepWhole() {
        workspace.whole.removeAll()
        workspace.whole.append(Self.wholeMark)
        let word = UnsafeBufferPointer(start: workspace.term.base, count: workspace.term.count)
        if options.folding.keepsMarks || workspace.term.isASCII {
            for byte in word { workspace.whole.append(byte) }
        } else {
            Self.fold(word, 0..<word.count, options.folding, &workspace.whole)
        }
    }
}
