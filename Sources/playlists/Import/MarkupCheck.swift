/// Follows the markup of a document, to see that Foundation's parser may have it.
///
/// On Linux that parser crashes at some declarations, and entities that a document declares can
/// expand to any size; its time for the attributes of one tag grows with their square. So before
/// `<plist` may stand a byte order mark, the XML declaration of a document in UTF-8, comments,
/// processing instructions, and a document type that only names its definition; and no tag is long.
struct MarkupCheck {
    /// More bytes in one tag than this are refused. Property lists know one attribute, of a few bytes.
    static let longestTag = 1024

    private enum State {
        case text
        /// Behind `<`, until ``held`` says what it is.
        case opening
        case comment, instruction, characterData, documentType, tag
    }

    private var state = State.text
    /// What stands behind `<`, as far as it is needed.
    private var held: [UInt8] = []
    private var last: (UInt8, UInt8) = (0, 0)
    /// The quotation mark that ends what is quoted; 0 where nothing is.
    private var quote: UInt8 = 0
    /// Bytes of the markup behind its opening.
    private var length = 0
    private var position = 0
    /// Whether `<plist` has begun.
    private(set) var isInList = false
    /// The line of the next byte, from 1.
    private(set) var line = 1
    var isEmpty: Bool { position == 0 }

    mutating func take(_ bytes: ArraySlice<UInt8>) throws(ImportError.Problem) {
        for byte in bytes {
            try take(byte)
            last = (last.1, byte)
            position += 1
            if byte == UInt8(ascii: "\n") { line += 1 }
        }
    }

    private mutating func take(_ byte: UInt8) throws(ImportError.Problem) {
        switch state {
        case .text:
            if byte == UInt8(ascii: "<") { return open() }
            if !isInList, !isSpace(byte), !isOrderMark(byte) { throw .notAPropertyList }
        case .opening: try takeOpening(byte)
        case .comment: if ends(UInt8(ascii: "-"), byte) { state = .text }
        case .characterData: if ends(UInt8(ascii: "]"), byte) { state = .text }
        case .instruction: try takeInstruction(byte)
        case .documentType:
            if byte == UInt8(ascii: "[") { throw .notAPropertyList }
            takeQuotable(byte)
        case .tag:
            length += 1
            guard length <= Self.longestTag else {
                throw .unexpected("a tag of more than \(Self.longestTag) bytes")
            }
            takeQuotable(byte)
        }
    }

    private mutating func open() {
        state = .opening
        held.removeAll(keepingCapacity: true)
        length = 0
        quote = 0
    }

    /// The byte order mark of UTF-8, at the beginning only.
    private func isOrderMark(_ byte: UInt8) -> Bool {
        position < 3 && byte == [0xEF, 0xBB, 0xBF][position]
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    /// Whether `byte` is the `>` behind two of `mark`, neither of which belongs to the opening.
    private mutating func ends(_ mark: UInt8, _ byte: UInt8) -> Bool {
        length += 1
        return length > 2 && byte == UInt8(ascii: ">") && last == (mark, mark)
    }

    /// Goes on to the `>` that is not quoted.
    private mutating func takeQuotable(_ byte: UInt8) {
        if quote != 0 {
            if byte == quote { quote = 0 }
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            quote = byte
        } else if byte == UInt8(ascii: ">") {
            state = .text
        }
    }

    private mutating func takeOpening(_ byte: UInt8) throws(ImportError.Problem) {
        held.append(byte)
        if held == [UInt8(ascii: "?")] {
            state = .instruction
        } else if held.elementsEqual("!--".utf8) {
            state = .comment
        } else if isInList, held.elementsEqual("![CDATA[".utf8) {
            state = .characterData
        } else if !isInList, held.elementsEqual("!DOCTYPE".utf8) {
            state = .documentType
        } else if isInList ? held[0] != UInt8(ascii: "!") : isStartOfList {
            isInList = true
            state = .tag
            takeQuotable(byte)
        } else if !Self.known(isInList).contains(where: { $0.starts(with: held) }) {
            // The parser says what is wrong.
            guard isInList else { throw .notAPropertyList }
            state = .tag
            takeQuotable(byte)
        }
    }

    private static func known(_ isInList: Bool) -> [String.UTF8View] {
        isInList ? ["!--".utf8, "![CDATA[".utf8] : ["!--".utf8, "!DOCTYPE".utf8, "plist".utf8]
    }

    private var isStartOfList: Bool {
        guard held.count == 6, held.starts(with: "plist".utf8) else { return false }
        return isSpace(held[5]) || held[5] == UInt8(ascii: ">") || held[5] == UInt8(ascii: "/")
    }

    private mutating func takeInstruction(_ byte: UInt8) throws(ImportError.Problem) {
        if held.count < Self.longestTag { held.append(byte) }
        guard byte == UInt8(ascii: ">"), last.1 == UInt8(ascii: "?"), held.count > 2 else { return }
        state = .text
        let text = String(decoding: held, as: UTF8.self)
        guard text.hasPrefix("?xml"), !text.hasPrefix("?xml-") else { return }
        if !Self.isDeclaration(text) { throw .notAPropertyList }
    }

    /// Whether that is an XML declaration that names no other encoding than UTF-8, or ASCII, which
    /// is a part of it.
    private static func isDeclaration(_ text: String) -> Bool {
        let declaration =
            #/
            \?xml \s+ version \s*=\s* (["']) 1\.[0-9] \1
            (?: \s+ encoding \s*=\s* (["']) (?i: utf-?8 | (?:us-)?ascii ) \2 )?
            (?: \s+ standalone \s*=\s* (["']) (?: yes | no ) \3 )?
            \s* \?>
            /#
        return text.wholeMatch(of: declaration) != nil
    }
}
