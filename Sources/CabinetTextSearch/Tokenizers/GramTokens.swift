/// Takes a text apart into terms of three folded scalars.
package struct GramTokens {
    /// How many scalars a term has, except those at the end.
    package static let length = 3

    private let workspace: TokenWorkspace
    private let folding = ScalarFolding.plain

    init(_ workspace: TokenWorkspace) { self.workspace = workspace }

    /// Calls `body` for each term. For a query, shorter ones at the end are left out, unless the
    /// whole text is shorter: then it is one term, a beginning of others.
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
            try give(window, Self.length, position, body)
            position += 1
            held = Self.length - 1
        }
        if purpose != .text, position > 0 { return }
        if held >= 2 {
            try give(window, 2, position, body)
            position += 1
        }
        if held >= 1, purpose == .text || position == 0 {
            try give(window, 1, position, body)
        }
    }

    /// Gives the last `count` scalars of `window`.
    @inline(__always)
    private func give(
        _ window: (FoldedScalars.Element, FoldedScalars.Element, FoldedScalars.Element),
        _ count: Int, _ position: Int, _ body: (Token) throws -> Void
    ) rethrows {
        workspace.term.removeAll()
        if count > 2 { UTF8Decoding.append(window.0.value, to: &workspace.term) }
        if count > 1 { UTF8Decoding.append(window.1.value, to: &workspace.term) }
        UTF8Decoding.append(window.2.value, to: &workspace.term)
        let first = count > 2 ? window.0 : count > 1 ? window.1 : window.2
        let range = first.range.lowerBound..<window.2.range.upperBound
        try body(
            Token(term: workspace.term.bytes, position: position, range: range, span: count))
    }

    /// Calls `body` with each term of a text for an index, in their order, if the text is ASCII: with its
    /// bytes as the highest ones of a number, and how many they are. At most `limit` terms.
    ///
    /// - Returns: the number of terms; `nil` for another text, of which nothing was given.
    @inlinable @inline(__always)
    package static func forEachPacked(
        in bytes: UnsafeBufferPointer<UInt8>, limit: Int, _ body: (UInt64, Int) -> Void
    ) -> Int? {
        guard isASCII(bytes) else { return nil }
        var window: UInt64 = 0
        var terms = 0
        for byte in bytes {
            let isUpper = byte &- 0x41 < 26
            window = (window << 8 | UInt64(isUpper ? byte | 0x20 : byte)) & 0xFF_FFFF
            terms &+= 1
            guard terms >= length else { continue }
            if terms &- length == limit { return limit }
            body(window << 40, length)
        }
        // Each scalar begins a term, those at the end shorter ones.
        let left = min(terms, length - 1)
        for count in (0..<left).reversed() {
            if terms &- count &- 1 == limit { return limit }
            body(window << UInt64(56 &- 8 &* count), count &+ 1)
        }
        return terms
    }

    @usableFromInline
    static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let all = UnsafeRawBufferPointer(bytes)
        var offset = 0
        while offset &+ 8 <= all.count {
            let word = all.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if word & 0x8080_8080_8080_8080 != 0 { return false }
            offset &+= 8
        }
        while offset < all.count {
            if all[offset] >= 0x80 { return false }
            offset &+= 1
        }
        return true
    }
}
