/// The first byte of each part of a key, by which parts can be told apart without their types.
///
/// They never change, as keys are on disk. 0xFF is none of them.
enum KeyTag {
    /// `nil`: the whole part.
    static let absent: UInt8 = 0x00
    /// Stands before a value of an optional's optional.
    static let present: UInt8 = 0x01
    /// Integers: this minus the count of bytes for -1 and below, from 16 bytes to none.
    static let negative: UInt8 = 0x13
    /// Integers: this plus the count of bytes for 0 and above, from none to 16 bytes.
    static let positive: UInt8 = 0x14
    static let falseValue: UInt8 = 0x26
    static let trueValue: UInt8 = 0x27
    /// `Double`, and `Float` as a `Double`: 8 bytes.
    static let float: UInt8 = 0x28
    /// `Date`: the 8 bytes of its seconds.
    static let date: UInt8 = 0x29
    /// 16 bytes.
    static let uuid: UInt8 = 0x2A
    static let decimal: UInt8 = 0x2B
    /// `Data`: escaped bytes and a zero byte.
    static let data: UInt8 = 0x2C
    /// Text from which the value can be read: escaped UTF-8 and a zero byte.
    static let text: UInt8 = 0x2D
    /// What a collation made of a text that cannot be read back: escaped bytes and a zero byte.
    static let collated: UInt8 = 0x2E
    /// A reference to an object: the class's number and the 4 bytes of the row.
    static let reference: UInt8 = 0x2F
}

/// How bytes of any values and any number lie in a part, so that a zero byte ends them.
///
/// 0x00 becomes 01 02 and 0x01 becomes 01 03; 01 01 separates levels of a collation; 00 is the end.
/// So end < separator < any byte, bytes keep their order, and no zero byte lies before the end: a
/// text that another one begins with comes first, whatever follows the part. FoundationDB's tuple
/// layer escapes 00 as 00 FF and ends with 00, for which the next byte must not be FF: ours may be,
/// as a row follows without a tag.
enum KeyEscape {
    static let end: UInt8 = 0x00
    static let escape: UInt8 = 0x01
    static let separator: UInt8 = 0x01
    static let zero: UInt8 = 0x02
    static let one: UInt8 = 0x03
}
