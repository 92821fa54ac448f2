/// Takes a text apart into words: those of ASCII byte by byte, all others by ``WordSegment``.
package struct WordTokens {
    let options: WordOptions
    let workspace: TokenWorkspace

    init(_ options: WordOptions, _ workspace: TokenWorkspace) {
        self.options = options
        self.workspace = workspace
    }

    func forEach(
        in text: String, for purpose: TokenPurpose, _ body: (Token) throws -> Void
    ) rethrows {
        var text = text
        try text.withUTF8 { try forEach(in: $0, for: purpose, body) }
    }

    @inline(__always)
    func forEach(
        in bytes: UnsafeBufferPointer<UInt8>, for purpose: TokenPurpose,
        _ body: (Token) throws -> Void
    ) rethrows {
        let isPlain = options.isPlain
        let kinds = workspace.kinds
        let term = workspace.term.base
        var position = 0
        var offset = 0
        while offset < bytes.count {
            let kind = kinds[Int(bytes[offset])]
            if kind == .separator || kind == .joiner {
                offset &+= 1
                continue
            }
            let start = offset
            var end = start
            var isJoined = false
            let length = kind == .foreign ? nil : takeASCII(bytes, &end, &isJoined)
            guard let length else {
                offset = try takeSegment(bytes, start, purpose, &position, body)
                continue
            }
            offset = end
            if length == 0 { continue }
            if isPlain, !isJoined {
                let bytes = UnsafeRawBufferPointer(
                    start: term, count: min(length, TermBuffer.limit))
                try body(Token(term: bytes, position: position, range: start..<end))
            } else {
                workspace.term.setCount(length)
                try finish(start..<end, purpose, position, isJoined: isJoined, body)
            }
            position &+= 1
        }
    }

    /// Stores the word that begins at `end`, folded, at the base of the workspace's term, as far as that
    /// reaches, and moves `end` behind it.
    /// - Returns: the length of the word; 0 for what is no word; `nil` if a scalar beyond ASCII
    ///   follows, which may belong to it. `isJoined` is set if it has an apostrophe.
    @inline(__always)
    private func takeASCII(
        _ bytes: UnsafeBufferPointer<UInt8>, _ end: inout Int, _ isJoined: inout Bool
    ) -> Int? {
        let term = workspace.term.base
        let lowered = workspace.lowered
        let start = end
        let quick = min(bytes.count, start &+ TermBuffer.limit)
        while end < quick {
            let byte = lowered[Int(bytes[end])]
            if byte == 0 { break }
            term[end &- start] = byte
            end &+= 1
        }
        if end == bytes.count || end > start && workspace.kinds[Int(bytes[end])] == .separator {
            return end &- start
        }
        return takeRest(bytes, start, &end, &isJoined)
    }

    /// The same for a word with other bytes than letters and digits, or a long one.
    private func takeRest(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: inout Int, _ isJoined: inout Bool
    ) -> Int? {
        let kinds = workspace.kinds
        var isWord = end > start
        var last = isWord ? kinds[Int(bytes[end &- 1])] : .separator
        scan: while end < bytes.count {
            let byte = bytes[end]
            let kind = kinds[Int(byte)]
            switch kind {
            case .letter, .digit:
                isWord = true
                last = kind
            case .connector: last = kind
            case .separator: break scan
            case .foreign: return nil
            case .joiner:
                guard end &+ 1 < bytes.count else { break scan }
                let next = kinds[Int(bytes[end &+ 1])]
                if next == .foreign { return nil }
                guard next == last, joins(byte, last) else { break scan }
                if byte == Self.apostrophe { isJoined = true }
            }
            if end &- start < TermBuffer.limit {
                workspace.term.base[end &- start] = kind == .letter ? byte | 0x20 : byte
            }
            end &+= 1
        }
        return isWord ? end &- start : 0
    }

    /// Rules WB6, WB7, WB11 and WB12: whether `byte` joins two letters, or two digits.
    @inline(__always)
    private func joins(_ byte: UInt8, _ kind: ASCIIKind) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "'"): kind == .letter || kind == .digit
        case UInt8(ascii: ":"): kind == .letter
        default: kind == .digit
        }
    }
}

enum ASCIIKind: UInt8 {
    case separator, letter, digit, connector
    /// `.`, `'`, `:`, `,` and `;`.
    case joiner
    /// Not ASCII.
    case foreign

    // Written here, before anything can read them, and never again or freed: any thread may read them.

    /// The kinds of all bytes.
    nonisolated(unsafe) static let table = made(of)

    /// What letters and digits become without case, 0 for all other bytes.
    nonisolated(unsafe) static let lowered = made { byte -> UInt8 in
        let kind = of(byte)
        return kind == .letter ? byte | 0x20 : kind == .digit ? byte : 0
    }

    private static func made<Value>(_ value: (UInt8) -> Value) -> UnsafePointer<Value> {
        let table = UnsafeMutablePointer<Value>.allocate(capacity: 256)
        for byte in UInt8.min...UInt8.max { (table + Int(byte)).initialize(to: value(byte)) }
        return UnsafePointer(table)
    }

    static func of(_ byte: UInt8) -> ASCIIKind {
        switch byte {
        case 0x80...: .foreign
        case 0x41...0x5A, 0x61...0x7A: .letter
        case 0x30...0x39: .digit
        case 0x5F: .connector
        case 0x2E, 0x27, 0x3A, 0x2C, 0x3B: .joiner
        default: .separator
        }
    }
}
