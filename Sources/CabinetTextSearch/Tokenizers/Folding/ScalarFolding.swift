/// What each scalar becomes in a term: width, case, marks, and the normalization form C.
struct ScalarFolding: Sendable {
    /// Whether accents and points stay.
    let keepsMarks: Bool
    private static let tableEnd: UInt32 = 0x3100

    static let plain = ScalarFolding(keepsMarks: false)
    static let withMarks = ScalarFolding(keepsMarks: true)

    enum Entry: Sendable {
        /// Becomes one scalar, with which nothing that comes before is composed or reordered.
        case one(UInt32)
        /// Is left out.
        case none
        /// Becomes several scalars, the first of which joins nothing before.
        case several
        /// May be composed with what stands before, or ordered before it.
        case joins

        /// What a table has for the entry: the scalar, or a number that is none.
        fileprivate var number: UInt32 {
            switch self {
            case .one(let value): value
            case .none: 1 << 24
            case .several: 2 << 24
            case .joins: 3 << 24
            }
        }

        @inline(__always)
        fileprivate init(number: UInt32) {
            switch number >> 24 {
            case 0: self = .one(number)
            case 1: self = .none
            case 2: self = .several
            default: self = .joins
            }
        }
    }

    private init(keepsMarks: Bool) { self.keepsMarks = keepsMarks }

    private static let plainTable = ScalarTable(end: tableEnd) {
        derived($0, keepsMarks: false).number
    }
    private static let tableWithMarks = ScalarTable(end: tableEnd) {
        derived($0, keepsMarks: true).number
    }

    func entry(_ value: UInt32) -> Entry {
        if value < 0x80 { return .one(0x41...0x5A ~= value ? value + 32 : value) }
        if value < Self.tableEnd {
            return Entry(number: (keepsMarks ? Self.tableWithMarks : Self.plainTable)[value])
        }
        return switch value {
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0x1F300...0x1F3FA,
            0x1F400...0x1F6FF, 0x1F900...0x1F9FF:
            .one(value)
        default: Self.derived(value, keepsMarks: keepsMarks)
        }
    }

    private static func derived(_ value: UInt32, keepsMarks: Bool) -> Entry {
        guard let scalar = Unicode.Scalar(value) else { return .one(0xFFFD) }
        if value < 0x80 { return .one(0x41...0x5A ~= value ? value + 32 : value) }
        var folded: [UInt32] = []
        var normalizer = TextNormalizer()
        if !isUnchanged(scalar) {
            fold([value], keepsMarks: keepsMarks, &normalizer, into: &folded)
        } else if MarkFolding.isDropped(scalar), !keepsMarks {
            return .none
        } else {
            folded = [value]
        }
        guard let first = folded.first else { return .none }
        if joins(first) { return .joins }
        return folded.count == 1 ? .one(first) : .several
    }

    /// Whether `scalar` is its own folding except for marks: most are, and it is quick to ask.
    private static func isUnchanged(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return !properties.changesWhenNFKCCaseFolded && !properties.changesWhenLowercased
            && !properties.changesWhenUppercased && !properties.isDefaultIgnorableCodePoint
            && DecompositionTable.shared.decomposition(of: scalar.value) == nil
            && WidthFolding.folded(scalar.value) == scalar.value
    }

    private static func joins(_ value: UInt32) -> Bool {
        guard value >= 0x300, let scalar = Unicode.Scalar(value) else { return false }
        return scalar.properties.canonicalCombiningClass != .notReordered
            || DecompositionTable.shared.isSecond(value) || HangulSyllable.isSecond(value)
    }

    /// Appends the folding of `scalars`, as a whole.
    func fold(
        _ scalars: [UInt32], _ normalizer: inout TextNormalizer, into folded: inout [UInt32]
    ) {
        Self.fold(scalars, keepsMarks: keepsMarks, &normalizer, into: &folded)
    }

    /// Width, then case, then the canonical decomposition without the marks that are dropped, composed.
    private static func fold(
        _ scalars: [UInt32], keepsMarks: Bool, _ normalizer: inout TextNormalizer,
        into folded: inout [UInt32]
    ) {
        var cased: [UInt32] = []
        for value in scalars { CaseFolding.append(WidthFolding.folded(value), to: &cased) }
        var kept: [UInt32] = []
        for value in cased.lazy.map(WidthFolding.folded) {
            // Case folding makes an apostrophe of its own: of `ŉ`.
            let parts =
                HangulSyllable.decomposition(of: value)
                ?? DecompositionTable.shared.decomposition(of: value) ?? [value]
            for part in parts {
                guard let scalar = Unicode.Scalar(part) else { continue }
                if MarkFolding.isInvisible(scalar) { continue }
                if !keepsMarks, MarkFolding.isDropped(scalar) { continue }
                kept.append(part)
            }
        }
        normalizer.normalize(kept)
        folded += normalizer.output
    }
}
