import CabinetBackend
import CabinetTextSearch

/// The keys that an index is asked for: a range of bytes, and whether that is exactly what was meant.
///
/// `Sendable`: a value.
public struct PartRange: Hashable, Sendable {
    /// All keys that were meant lie in it, with their rows.
    public var keys: KeyRange
    /// Whether no other keys of the index lie in it. Otherwise values have to be compared.
    public var isExact: Bool

    /// A range with the given properties.
    public init(_ keys: KeyRange, isExact: Bool) {
        self.keys = keys
        self.isExact = isExact
    }
}

/// Where a range of one part begins or ends. `Sendable` if the value is.
public enum PartBound<Value> {
    /// At the value, which lies in the range.
    case including(Value)
    /// At the value, which does not lie in the range.
    case excluding(Value)

    var value: Value {
        switch self {
        case .including(let value), .excluding(let value): value
        }
    }
}

extension PartBound: Sendable where Value: Sendable {}

extension PartRange {
    /// The keys that begin with the parts of `key`: with all parts of an index, those of equal values.
    /// With a key of no parts, every key.
    ///
    /// Not exact if the key is cut.
    public init(equalTo key: OrderedKey) {
        self.init(KeyRange(prefix: key.bytes), isExact: !key.isCut)
    }

    /// The keys that begin with the parts of `key`, and whose next part is from `lower` to `upper`.
    ///
    /// Without a lower bound, `nil` is left out unless `includesNil` is set. Without an upper one, NaN
    /// lies in the range: bound it by `.including(.infinity)` where it does not belong. Bounds in the
    /// wrong order give a range without keys. Not exact if the parts are so long that a bound is cut.
    public init<Value: OrderedKeyValue>(
        of key: OrderedKey = OrderedKey(), from lower: PartBound<Value>?,
        to upper: PartBound<Value>?,
        includesNil: Bool = false
    ) {
        self.init(
            of: key, from: lower.map { bound in (bound, { $0.append(bound.value) }) },
            to: upper.map { bound in (bound, { $0.append(bound.value) }) }, includesNil: includesNil
        )
    }

    /// The keys that begin with the parts of `key`, and whose next part is a text from `lower` to
    /// `upper` under `collation`, like the range of other values.
    public init(
        of key: OrderedKey = OrderedKey(), from lower: PartBound<String>?,
        to upper: PartBound<String>?, collation: Collation, includesNil: Bool = false
    ) {
        self.init(
            of: key,
            from: lower.map { bound in (bound, { $0.append(bound.value, collation: collation) }) },
            to: upper.map { bound in (bound, { $0.append(bound.value, collation: collation) }) },
            includesNil: includesNil)
    }

    /// The keys that begin with the parts of `key`, and whose next part is a text that starts with
    /// `prefix`; `nil` if the collation does not keep beginnings together.
    ///
    /// Exact under ``Collation/binary``, by UTF-8. Otherwise other texts may lie in the range: `q` with
    /// a combining dot does not start with the character `q`, but its bytes do. Under
    /// ``Collation/numeric`` digits at the end of `prefix` do not narrow the range, as `Track 1` is
    /// the beginning of `Track 10`.
    public init?(
        of key: OrderedKey = OrderedKey(), startingWith prefix: String, collation: Collation
    ) {
        var builder = OrderedKeyBuilder(key)
        let begin: String
        var isExact = false
        switch collation.method {
        case .binary:
            begin = prefix
            isExact = true
        case .unicode, .caseInsensitive, .digitsOnly, .own(_, keepsPrefixes: true):
            begin = prefix
        case .numeric:
            begin = String(
                prefix.unicodeScalars.reversed().drop { 0x30...0x39 ~= $0.value }.reversed()
                    .reduce(into: String.UnicodeScalarView()) { $0.append($1) })
        case .own(_, keepsPrefixes: false):
            return nil
        }
        // Swift's characters end between vowels of Kirat Rai, which are composed with each other.
        let narrow = String(
            String.UnicodeScalarView(
                begin.unicodeScalars.reversed().drop {
                    !isExact && 0x16D40...0x16D7F ~= $0.value
                }.reversed()))
        builder.appendPrefix(of: narrow, collation: collation)
        self.init(KeyRange(prefix: builder.key.bytes), isExact: isExact && !builder.isCut)
    }

    /// Where a part begins or ends, and what appends it.
    typealias Bound<Value> = (PartBound<Value>, (inout OrderedKeyBuilder) -> Void)

    /// The same of bounds of any type.
    init<Value>(
        of key: OrderedKey, from lower: Bound<Value>?, to upper: Bound<Value>?, includesNil: Bool
    ) {
        let all = KeyRange(prefix: key.bytes)
        var range = all
        var isExact = !key.isCut
        var builder = OrderedKeyBuilder(key)
        let size = builder.size
        if let (bound, append) = lower {
            append(&builder)
            let beginning = KeyRange(prefix: builder.key.bytes)
            if case .excluding = bound, !builder.isCut {
                // Without a key above, the bound is the end of all keys.
                range.lower = beginning.upper ?? [UInt8](repeating: .max, count: 1025)
            } else {
                range.lower = beginning.lower
            }
            isExact = isExact && !builder.isCut
        } else if !includesNil {
            range.lower = key.isCut ? all.lower : key.bytes + [KeyTag.absent + 1]
        }
        builder.removeParts(after: size)
        if let (bound, append) = upper {
            append(&builder)
            let beginning = KeyRange(prefix: builder.key.bytes)
            if case .excluding = bound, !builder.isCut {
                range.upper = beginning.lower
            } else {
                range.upper = beginning.upper
            }
            isExact = isExact && !builder.isCut
        }
        self.init(range, isExact: isExact)
    }
}

extension OrderedKeyBuilder {
    /// A builder that goes on behind the parts of `key`.
    public init(_ key: OrderedKey) {
        self.init()
        append(key)
    }

    /// Appends the parts of another key. Behind a cut key, further parts do not count.
    public mutating func append(_ key: OrderedKey) {
        for byte in key.bytes { appendByte(byte) }
    }

    /// Appends what the parts of all texts that begin with `text` begin with.
    fileprivate mutating func appendPrefix(of text: String, collation: Collation) {
        switch collation.method {
        case .binary, .unicode: appendByte(KeyTag.text)
        default: appendByte(KeyTag.collated)
        }
        appendContent(of: text, collation: collation, isPrefix: true)
    }
}
