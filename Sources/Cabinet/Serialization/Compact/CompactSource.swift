import CLibrary
import CabinetBackend
import Foundation

/// The bytes of one value in the compact form, of which nothing is believed. A position is an
/// offset into them, and the end of what may hold the value there. Whatever the bytes are, reading
/// gives a value or throws a `DecodingError`.
final class CompactSource {
    typealias Tag = CompactForm.Tag

    private let base: UnsafeRawPointer
    /// 0 once the bytes are gone.
    @exclusivity(unchecked) private var count: Int
    @exclusivity(unchecked) private(set) var names: [String] = []
    @exclusivity(unchecked) private(set) var root = 0
    @exclusivity(unchecked) var isFindingPath = false
    /// For containers, by where they begin: the entry that the last path through it led to.
    @exclusivity(unchecked) var walked: [Int: (position: Int, index: Int)] = [:]
    var end: Int { count }

    /// For each depth, the last keyed container and entry: mostly the next entry follows.
    @exclusivity(unchecked) private var hints: [(container: Int, entry: Int)] = []
    /// The entries of large containers by their keys, by where the container begins.
    @exclusivity(unchecked) private var indexes: [Int: [String: Int]] = [:]

    /// - Throws: `DecodingError` for bytes that do not begin as the form does.
    init(_ bytes: UnsafeRawBufferPointer) throws {
        guard let start = bytes.baseAddress, bytes.first == CompactForm.mark else {
            throw Self.damage("no value in the compact form", [])
        }
        (base, count) = (start, bytes.count)
        var position = 1
        // Each takes a byte at least, so no more are made than there are bytes.
        let keys = try number(&position, end: count)
        names.reserveCapacity(min(keys, 16))
        for _ in 0..<keys {
            names.append(try text(&position, end: count))
        }
        root = position
    }

    /// The bytes are about to be freed: a decoder that is still held reads nothing more.
    func close() { count = 0 }

    // MARK: Bytes

    @inline(__always)
    private func byte(_ position: inout Int, end: Int) throws -> UInt8 {
        guard position < end, end <= count else { throw damage(at: position) }
        defer { position += 1 }
        return base.load(fromByteOffset: position, as: UInt8.self)
    }

    /// What begins the value at `position`; does not move.
    @inline(__always)
    func tag(at position: Int, end: Int) throws -> UInt8 {
        var position = position
        return try byte(&position, end: end)
    }

    @inline(__always)
    private func number(_ position: inout Int, end: Int) throws -> Int {
        let first = try byte(&position, end: end)
        if first < 0x80 { return Int(first) }
        position -= 1
        let number: UInt64 = try digits(&position, end: end)
        guard let number = Int(exactly: number) else { throw damage(at: position) }
        return number
    }

    private func digits<Number: FixedWidthInteger & UnsignedInteger>(
        _ position: inout Int, end: Int
    ) throws -> Number {
        var (number, shift) = (Number.zero, 0)
        while true {
            let digit = try byte(&position, end: end)
            let part = Number(truncatingIfNeeded: digit & 0x7F)
            guard shift < Number.bitWidth, (part << shift) >> shift == part else {
                throw damage(at: position)
            }
            number |= part << shift
            if digit < 0x80 { return number }
            shift += 7
        }
    }

    /// The bytes behind a number of them.
    @inline(__always)
    private func counted(_ position: inout Int, end: Int) throws -> UnsafeRawBufferPointer {
        try bytes(try number(&position, end: end), &position, end: end)
    }

    @inline(__always)
    private func bytes(
        _ length: Int, _ position: inout Int, end: Int
    ) throws -> UnsafeRawBufferPointer {
        guard end <= count, length <= end - position else { throw damage(at: position) }
        defer { position += length }
        return UnsafeRawBufferPointer(start: base + position, count: length)
    }

    func bytes(in range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base, count: count)[range.clamped(to: 0..<count)].rebased
    }

    private func text(_ position: inout Int, end: Int) throws -> String {
        try text(of: try counted(&position, end: end), at: position)
    }

    /// Not `String(validating:as:)`, which asks for metadata and takes five times as long.
    private func text(of bytes: UnsafeRawBufferPointer, at position: Int) throws -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        // Decoding replaces what is not UTF-8, so such text differs from its bytes.
        let isSame = text.utf8.withContiguousStorageIfAvailable { utf8 in
            guard utf8.count == bytes.count else { return false }
            guard let one = utf8.baseAddress, let other = bytes.baseAddress else { return true }
            return memcmp(one, other, bytes.count) == 0
        }
        guard isSame ?? text.utf8.elementsEqual(bytes) else {
            throw Self.damage("a text is not UTF-8", path(to: position))
        }
        return text
    }

    // MARK: Values

    func skip(_ position: Int, end: Int) throws -> Int {
        var position = position
        let tag = try byte(&position, end: end)
        switch tag {
        case ..<Tag.shortText, Tag.none, Tag.no, Tag.yes: break
        case ..<Tag.none: _ = try bytes(Int(tag & 0x3F), &position, end: end)
        case Tag.positive, Tag.negative: while try byte(&position, end: end) >= 0x80 {}
        case Tag.float: _ = try bytes(4, &position, end: end)
        case Tag.double, Tag.date: _ = try bytes(8, &position, end: end)
        case Tag.uuid: _ = try bytes(16, &position, end: end)
        case Tag.text, Tag.bytes, Tag.url, Tag.decimal, Tag.unkeyed, Tag.keyed:
            _ = try counted(&position, end: end)
        default: throw damage(at: position - 1)
        }
        return position
    }

    /// The elements or entries of the container at `position`; `nil` if that is no such container.
    func content(of tag: UInt8, at position: Int, end: Int) throws -> Range<Int>? {
        var position = position
        guard try byte(&position, end: end) == tag else { return nil }
        let length = try counted(&position, end: end).count
        return position - length..<position
    }

    /// The integer at `position`; `nil` if it is none, or none of the type.
    func integer<Value: FixedWidthInteger>(at position: Int, end: Int) throws -> Value? {
        var position = position
        let tag = try byte(&position, end: end)
        if tag < Tag.shortText { return Value(truncatingIfNeeded: tag) }
        guard tag == Tag.positive || tag == Tag.negative else { return nil }
        let rest: UInt128
        if Value.bitWidth <= 64 {
            let number: UInt64 = try digits(&position, end: end)
            rest = UInt128(number)
        } else {
            rest = try digits(&position, end: end)
        }
        guard let value = Value(exactly: rest) else { return nil }
        return tag == Tag.negative ? (Value.isSigned ? ~value : nil) : value
    }

    func text(at position: Int, end: Int) throws -> String? {
        var position = position
        let tag = try byte(&position, end: end)
        if tag >= Tag.shortText, tag < Tag.none {
            return try text(of: try bytes(Int(tag & 0x3F), &position, end: end), at: position)
        }
        return tag == Tag.text ? try text(&position, end: end) : nil
    }

    func double(at position: Int, end: Int) throws -> Double? {
        var position = position
        switch try byte(&position, end: end) {
        case Tag.float: return Double(Float(bitPattern: try fixed(&position, end: end)))
        case Tag.double: return Double(bitPattern: try fixed(&position, end: end))
        default: return nil
        }
    }

    private func fixed<Bits: FixedWidthInteger & BitwiseCopyable>(
        _ position: inout Int, end: Int
    ) throws -> Bits {
        let bytes = try bytes(MemoryLayout<Bits>.size, &position, end: end)
        return Bits(bigEndian: bytes.loadUnaligned(as: Bits.self))
    }

    /// The value at `position` of a type that has a form of its own; `nil` if there is none of it.
    func data(at position: Int, end: Int) throws -> Data? {
        var position = position
        guard try byte(&position, end: end) == Tag.bytes else { return nil }
        return Data(try counted(&position, end: end))
    }

    func date(at position: Int, end: Int) throws -> Date? {
        var position = position
        guard try byte(&position, end: end) == Tag.date else { return nil }
        return Date(
            timeIntervalSinceReferenceDate: Double(bitPattern: try fixed(&position, end: end)))
    }

    func uuid(at position: Int, end: Int) throws -> UUID? {
        var position = position
        guard try byte(&position, end: end) == Tag.uuid else { return nil }
        return UUID(uuid: try bytes(16, &position, end: end).loadUnaligned(as: uuid_t.self))
    }

    func url(at position: Int, end: Int) throws -> URL? {
        var position = position
        guard try byte(&position, end: end) == Tag.url else { return nil }
        guard let url = URL(string: try text(&position, end: end)) else {
            throw damage(at: position)
        }
        return url
    }

    func decimal(at position: Int, end: Int) throws -> Decimal? {
        var position = position
        guard try byte(&position, end: end) == Tag.decimal else { return nil }
        let buffer = DataBuffer()
        buffer.writeCounted(try counted(&position, end: end))
        guard let number = try? buffer.readDecimal() else { throw damage(at: position) }
        return number
    }

    // MARK: Keyed containers

    /// The key of the entry at `position`, which then is where its value begins.
    @inline(__always)
    func name(_ position: inout Int, end: Int) throws -> String {
        let key = try number(&position, end: end)
        guard key < names.count else { throw damage(at: position) }
        return names[key]
    }

    /// Where the value under `name` begins in a keyed container at `depth`; `nil` if none does.
    func find(_ name: String, in entries: Range<Int>, depth: Int) throws -> Int? {
        if entries.isEmpty { return nil }
        if let index = indexes.isEmpty ? nil : indexes[entries.lowerBound] { return index[name] }
        while hints.count <= depth { hints.append((0, 0)) }
        let isKnown = hints[depth].container == entries.lowerBound
        let first = isKnown ? hints[depth].entry : entries.lowerBound
        var (entry, looked) = (first, 0)
        repeat {
            var position = entry
            if try self.name(&position, end: entries.upperBound) == name {
                hints[depth] = (entries.lowerBound, entry)
                return position
            }
            looked += 1
            if looked > Self.fewEntries { return try index(entries)[name] }
            entry = try skip(position, end: entries.upperBound)
            if entry == entries.upperBound { entry = entries.lowerBound }
        } while entry != first
        return nil
    }

    private static let fewEntries = 24

    private func index(_ entries: Range<Int>) throws -> [String: Int] {
        var found: [String: Int] = [:]
        try forEachEntry(of: entries) { name, position in
            if found[name] == nil { found[name] = position }
        }
        indexes[entries.lowerBound] = found
        return found
    }

    /// Calls `body` with the key of each entry and where its value begins.
    func forEachEntry(
        of entries: Range<Int>, _ body: (_ name: String, _ position: Int) throws -> Void
    ) throws {
        var position = entries.lowerBound
        while position < entries.upperBound {
            let name = try name(&position, end: entries.upperBound)
            try body(name, position)
            position = try skip(position, end: entries.upperBound)
        }
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate var rebased: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self) }
}
