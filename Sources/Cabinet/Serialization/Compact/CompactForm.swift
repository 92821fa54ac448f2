import CabinetBackend

/// The binary form of `Codable` values: each value behind a tag, each key once. FORMATS.md has it
/// byte by byte.
enum CompactForm {
    /// The first byte.
    static let mark: UInt8 = 1

    /// How deep values may be nested while they are encoded: each level is a call of `encode(to:)`,
    /// for which a thread of 512 KiB must do in a debug build.
    static let encodingDepth = 128
    /// How deep they may be nested while they are decoded. More, as a type may take more calls to
    /// decode a value than to encode it.
    static let decodingDepth = 160

    /// What a value begins with, above the integers 0 to 127 and the texts of up to 63 bytes.
    enum Tag {
        static let shortText: UInt8 = 0x80
        static let none: UInt8 = 0xC0
        static let no: UInt8 = 0xC1
        static let yes: UInt8 = 0xC2
        static let positive: UInt8 = 0xC3
        static let negative: UInt8 = 0xC4
        static let float: UInt8 = 0xC5
        static let double: UInt8 = 0xC6
        static let text: UInt8 = 0xC7
        static let bytes: UInt8 = 0xC8
        static let date: UInt8 = 0xC9
        static let uuid: UInt8 = 0xCA
        static let url: UInt8 = 0xCB
        static let decimal: UInt8 = 0xCC
        static let unkeyed: UInt8 = 0xCD
        static let keyed: UInt8 = 0xCE
    }

    /// The key of an element or of a superclass's part, where no key of the type's own is known.
    struct Key: CodingKey {
        let stringValue: String
        let intValue: Int?

        init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
        init(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }

        static var `super`: Key { Key(stringValue: "super") }
    }
}
