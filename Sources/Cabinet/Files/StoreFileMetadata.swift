import CabinetBackend
import Foundation

/// What a store file says of itself, which is read without opening it: for lists of files, and for the
/// system's search. `Sendable`: a value.
public struct StoreFileMetadata: Hashable, Sendable {
    /// What the document is called; empty: the program has given no title.
    public var title = ""
    /// Some of its text, for a preview.
    public var preview = ""
    /// Words to find it by.
    public var keywords: [String] = []
    /// A small picture, in a format of the program's choice; empty: none.
    public var thumbnail = Data()
    /// When the document was made; `nil`: not said. Kept in microseconds.
    public var created: Date?
    /// When the file was written, by that machine's clock; set when a file is read or written.
    public internal(set) var modified: Date?

    /// Entries that this program does not know, as they stand in the file: they are written again.
    private var others: [UInt8] = []

    /// Metadata that say nothing.
    public init() {}

    // MARK: Bytes

    /// Entries, one after the other: UInt8 length of the name, the name, UInt8 kind, UInt32 length of the
    /// value, the value. See FORMATS.md.
    private enum Kind: UInt8 {
        case text = 1
        /// Texts, each behind a UInt32 of its length.
        case texts = 2
        case bytes = 3
        /// Int64 microseconds since 1970-01-01 00:00 UTC.
        case date = 4
    }

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        Self.append("title", .text, Array(title.utf8), to: &bytes)
        Self.append("preview", .text, Array(preview.utf8), to: &bytes)
        var words: [UInt8] = []
        for word in keywords {
            Self.append(UInt32(word.utf8.count), to: &words)
            words.append(contentsOf: word.utf8)
        }
        Self.append("keywords", .texts, words, to: &bytes)
        Self.append("thumbnail", .bytes, Array(thumbnail), to: &bytes)
        if let microseconds = created.flatMap(Self.microseconds) {
            var value: [UInt8] = []
            Self.append(UInt64(bitPattern: microseconds), to: &value)
            Self.append("created", .date, value, to: &bytes)
        }
        return bytes + others
    }

    private static func append(
        _ name: String, _ kind: Kind, _ value: [UInt8], to bytes: inout [UInt8]
    ) {
        guard !value.isEmpty else { return }
        bytes.append(UInt8(name.utf8.count))
        bytes.append(contentsOf: name.utf8)
        bytes.append(kind.rawValue)
        append(UInt32(value.count), to: &bytes)
        bytes.append(contentsOf: value)
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// `nil` for dates that no Int64 of microseconds holds.
    private static func microseconds(_ date: Date) -> Int64? {
        Int64(exactly: (date.timeIntervalSince1970 * 1_000_000).rounded())
    }

    /// `nil` for bytes that are no entries.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let entry = rest
            guard let nameLength = Self.number(UInt8.self, from: &rest),
                let name = Self.take(Int(nameLength), from: &rest),
                let kind = Self.number(UInt8.self, from: &rest),
                let length = Self.number(UInt32.self, from: &rest),
                let value = Self.take(Int(length), from: &rest)
            else { return nil }
            if !take(value, kind, String(decoding: name, as: UTF8.self)) {
                others.append(contentsOf: entry[..<rest.startIndex])
            }
        }
    }

    /// Whether it is an entry that this program knows.
    private mutating func take(_ value: ArraySlice<UInt8>, _ kind: UInt8, _ name: String) -> Bool {
        switch (name, Kind(rawValue: kind)) {
        case ("title", .text): title = String(decoding: value, as: UTF8.self)
        case ("preview", .text): preview = String(decoding: value, as: UTF8.self)
        case ("keywords", .texts):
            var rest = value
            while let length = Self.number(UInt32.self, from: &rest),
                let word = Self.take(Int(length), from: &rest)
            {
                keywords.append(String(decoding: word, as: UTF8.self))
            }
        case ("thumbnail", .bytes): thumbnail = Data(value)
        case ("created", .date):
            var rest = value
            guard let number = Self.number(UInt64.self, from: &rest) else { return false }
            created = Date(
                timeIntervalSince1970: Double(Int64(bitPattern: number)) / 1_000_000)
        default: return false
        }
        return true
    }

    private static func take(_ count: Int, from bytes: inout ArraySlice<UInt8>) -> ArraySlice<
        UInt8
    >? {
        guard bytes.count >= count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    private static func number<Number: FixedWidthInteger>(
        _ type: Number.Type, from bytes: inout ArraySlice<UInt8>
    ) -> Number? {
        guard let part = take(MemoryLayout<Number>.size, from: &bytes) else { return nil }
        return part.reversed().reduce(0) { number, byte in
            (Number.bitWidth > 8 ? number << 8 : 0) | Number(truncatingIfNeeded: byte)
        }
    }
}
