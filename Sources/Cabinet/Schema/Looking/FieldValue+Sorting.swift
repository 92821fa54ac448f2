import Foundation

extension FieldValue {
    /// An order of values of one type: by size or time, texts by their UTF-8, others so that equal
    /// sets come alike. What is no number comes last.
    static func precedes(_ one: FieldValue, _ other: FieldValue) -> Bool {
        switch (one, other) {
        case (.integer(let one), .integer(let other)): one < other
        case (.largeInteger(let one), .largeInteger(let other)): one < other
        case (.integer, .largeInteger): true
        case (.largeInteger, .integer): false
        case (.float(let one), .float(let other)): other.isNaN ? !one.isNaN : one < other
        case (.double(let one), .double(let other)): other.isNaN ? !one.isNaN : one < other
        case (.decimal(let one), .decimal(let other)): other.isNaN ? !one.isNaN : one < other
        case (.date(let one), .date(let other)): one < other
        case (.text(let one), .text(let other)): one.utf8.lexicographicallyPrecedes(other.utf8)
        case (.bytes(let one), .bytes(let other)): one.lexicographicallyPrecedes(other)
        default: one.json.written.utf8.lexicographicallyPrecedes(other.json.written.utf8)
        }
    }
}
