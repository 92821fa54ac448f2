/// Takes a text apart into words: those of ASCII byte by byte, all others by ``WordSegment``.
struct WordTokens {
    let options: WordOptions
    let workspace: TokenWorkspace

    init(_ options: WordOptions, _ workspace: TokenWorkspace) {
        self.options = options
        self.workspace = workspace
    }

    /// Calls `body` for each term of `text`.
    func forEach(
        in text: String, for purpose: TokenPurpose, _ body: (Token) throws -> Void
    ) rethrows {
        var text = text
        try text.withUTF8 { try forEach(in: $0, for: purpose, body) }
    }

    /// Calls `body` for each term of `bytes`.
    @inline(__always)
    func forEach(
        in bytes: UnsafeBufferPointer<UInt8>, for purpose: TokenPurpose,
        _ body: (Token) throws -> Void
    ) rethrows {
        let isPlain = options.isPlain
        let kinds = workspace.kinds
        var position = 0
        var offset = 0
        while offset < bytes.count {
            let kind = kinds[Int(bytes[offset])]
            if kind == .separator || kind == .joiner {
                offset &+= 1
                continue
            }
            let start = offset
            var isWord = false
            if kind != .foreign, let end = takeASCII(bytes, start, &isWord) {
                offset = end
                if isWord {
                    if isPlain {
                        let term = workspace.term.bytes
                        try body(Token(term: term, position: position, range: start..<end))
                    } else {
                        try finish(start..<end, purpose, position, body)
                    }
                }
                position &+= isWord ? 1 : 0
                continue
            }
            offset = try takeSegment(bytes, start, purpose, &position, body)
        }
    }

    /// Puts the word that begins at `start` into the workspace, folded, and returns its end; `nil` if a
    /// scalar beyond ASCII follows, which may belong to it.
    @inline(__always)
    private func takeASCII(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ isWord: inout Bool
    ) -> Int? {
        let term = workspace.term.base
        let kinds = workspace.kinds
        var count = 0
        var offset = start
        var last = ASCIIKind.separator
        scan: while offset < bytes.count {
            let byte = bytes[offset]
            let kind = kinds[Int(byte)]
            switch kind {
            case .letter, .digit:
                isWord = true
                last = kind
            case .connector: last = kind
            case .separator: break scan
            case .foreign: return nil
            case .joiner:
                guard offset &+ 1 < bytes.count else { break scan }
                let next = kinds[Int(bytes[offset &+ 1])]
                if next == .foreign { return nil }
                guard next == last, joins(byte, last) else { break scan }
            }
            if count < TermBuffer.limit {
                term[count] = kind == .letter ? byte | 0x20 : byte
            }
            count &+= 1
            offset &+= 1
        }
        workspace.term.setCount(count)
        return offset
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

/// What a byte is to words of ASCII.
enum ASCIIKind: UInt8 {
    case separator, letter, digit, connector
    /// `.`, `'`, `:`, `,` and `;`.
    case joiner
    /// Not ASCII.
    case foreign

    /// The kinds of all bytes; the caller frees it.
    static func makeTable() -> UnsafeMutablePointer<ASCIIKind> {
        let table = UnsafeMutablePointer<ASCIIKind>.allocate(capacity: 256)
        for byte in UInt8.min...UInt8.max {
            (table + Int(byte)).initialize(to: of(byte))
        }
        return table
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
