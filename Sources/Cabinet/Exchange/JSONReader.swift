/// Reads JSON (RFC 8259) from front to back, one value at a time: a document of any size takes
/// memory for its largest part. Whatever the bytes are, the outcome is their content or
/// ``StoreError/badImport(line:column:reason:)`` with the position of the first wrong byte.
final class JSONReader {
    /// Containers within containers.
    static let depthLimit = 256

    private let source: any ByteSource
    private var bytes: [UInt8] = []
    private var index = 0
    /// Bytes before `bytes`, and those before the current line.
    private var passed = 0
    private var lineStart = 0
    private var line = 1
    /// How many values may still be made.
    private var room = 0

    init(_ source: any ByteSource) { self.source = source }

    var offset: Int { passed + index }

    /// Where the next byte stands: line and column, counted in bytes, from 1 on.
    var position: (line: Int, column: Int) { (line, offset - lineStart + 1) }

    func failure(_ reason: String) -> StoreError {
        .badImport(line: position.line, column: position.column, reason: reason)
    }

    // MARK: Pieces of a document

    /// Moves past white space and `byte`.
    func expect(_ byte: UInt8) throws {
        guard try accept(byte) else {
            throw failure("'\(Character(UnicodeScalar(byte)))' is expected")
        }
    }

    /// Moves past white space, and past `byte` if it follows.
    func accept(_ byte: UInt8) throws -> Bool {
        guard try peek() == byte else { return false }
        index += 1
        return true
    }

    /// Reads the name of a member, and the colon behind it.
    func readName() throws -> String {
        try expect(UInt8(ascii: "\""))
        let name = try readText()
        try expect(UInt8(ascii: ":"))
        return name
    }

    /// Moves past white space, so that ``place`` is where the next value begins.
    func skipSpace() throws { _ = try peek() }

    /// Throws if anything but white space is left.
    func expectEnd() throws {
        if try peek() != nil { throw failure("nothing more is expected") }
    }

    /// Reads a value with all that is in it, up to `limit` values.
    func readValue(limit: Int = RecordDecoder.valueLimit) throws -> JSONValue {
        room = limit
        return try readValue(depth: 0)
    }

    private func readValue(depth: Int) throws -> JSONValue {
        guard let first = try peek() else { throw failure("the text ends too early") }
        guard room > 0 else { throw failure("one object holds too many values") }
        guard depth < Self.depthLimit else { throw failure("values are nested too deep") }
        room -= 1
        switch first {
        case UInt8(ascii: "{"): return try readObject(depth)
        case UInt8(ascii: "["): return try readList(depth)
        case UInt8(ascii: "\""):
            index += 1
            return .text(try readText())
        case UInt8(ascii: "t"): return try readWord("true", .truth(true))
        case UInt8(ascii: "f"): return try readWord("false", .truth(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        default: return .digits(try readNumber())
        }
    }

    private func readObject(_ depth: Int) throws -> JSONValue {
        index += 1
        var members: [JSONValue.Member] = []
        if try accept(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            let name = try readName()
            members.append(.init(name: name, value: try readValue(depth: depth + 1)))
        } while try accept(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
        return .object(members)
    }

    private func readList(_ depth: Int) throws -> JSONValue {
        index += 1
        var values: [JSONValue] = []
        if try accept(UInt8(ascii: "]")) { return .list(values) }
        repeat {
            values.append(try readValue(depth: depth + 1))
        } while try accept(
            UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
        return .list(values)
    }

    private func readWord(_ word: StaticString, _ value: JSONValue) throws -> JSONValue {
        for byte in "\(word)".utf8 {
            guard try current() == byte else { throw failure("no value begins like this") }
            index += 1
        }
        return value
    }

    private func readNumber() throws -> String {
        var digits = ""
        func take(_ allowed: String) throws -> Bool {
            guard let byte = try current() else { return false }
            let character = Character(UnicodeScalar(byte))
            guard allowed.contains(character) else { return false }
            digits.append(character)
            index += 1
            if digits.utf8.count > 4096 { throw failure("a number is too long") }
            return true
        }
        func takeDigits() throws {
            guard try take("0123456789") else { throw failure("no value begins like this") }
            while try take("0123456789") {}
        }
        _ = try take("-")
        if try !take("0") { try takeDigits() }
        if try take(".") { try takeDigits() }
        if try take("eE") {
            _ = try take("+-")
            try takeDigits()
        }
        return digits
    }

    // MARK: Texts

    /// Reads what stands behind a quotation mark, and the one at its end.
    private func readText() throws -> String {
        var text: [UInt8] = []
        while let byte = try current() {
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: text, as: UTF8.self) else {
                    throw failure("a text is no UTF-8")
                }
                return text
            case UInt8(ascii: "\\"): try readEscape(into: &text)
            case 0..<0x20: throw failure("a text holds a control character")
            default: text.append(byte)
            }
        }
        throw failure("the text ends too early")
    }

    private func readEscape(into text: inout [UInt8]) throws {
        guard let byte = try current() else { throw failure("the text ends too early") }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var units = [try readUnit()]
            if UTF16.isLeadSurrogate(units[0]) {
                for expected in "\\u".utf8 {
                    guard try current() == expected else { throw failure("half a character") }
                    index += 1
                }
                units.append(try readUnit())
            }
            guard let characters = String(validating: units, as: UTF16.self) else {
                throw failure("half a character")
            }
            text.append(contentsOf: characters.utf8)
        default: throw failure("no character is written like this")
        }
    }

    private func readUnit() throws -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = try current(),
                let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80
            else { throw failure("four hexadecimal digits are expected") }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }

    // MARK: Bytes

    /// The next byte that is no white space, which is not passed; `nil` at the end.
    private func peek() throws -> UInt8? {
        while let byte = try current() {
            switch byte {
            case 0x20, 0x09, 0x0D: index += 1
            case 0x0A:
                index += 1
                line += 1
                lineStart = offset
            default: return byte
            }
        }
        return nil
    }

    private func current() throws -> UInt8? {
        if index < bytes.count { return bytes[index] }
        passed += bytes.count
        index = 0
        bytes = try source.next()
        return bytes.first
    }
}

protocol ByteSource: AnyObject {
    /// The next bytes, none at the end.
    func next() throws -> [UInt8]
}

final class DataSource: ByteSource {
    private var rest: [UInt8]
    init(_ bytes: [UInt8]) { rest = bytes }
    func next() throws -> [UInt8] {
        defer { rest = [] }
        return rest
    }
}
