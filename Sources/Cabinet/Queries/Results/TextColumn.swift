import CLibrary
import CabinetBackend
import CabinetTextSearch

/// Texts of each match in the order of `<`, `nil` before all of them.
///
/// Swift compares texts by their normalization form C, whose UTF-8 is in the same order: so these
/// bytes are kept, one text after another.
final class TextColumn: SortColumn {
    private let source: (ClassFields) -> ValueSource<String?>
    private let isDescending: Bool
    private var read: ((RowCursor) throws -> String?)?
    private var field: ClassFields.Field?
    // Unchecked: no access lasts during a call of other code.
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    /// Where each text begins, and where it ends; −1 for no text.
    @exclusivity(unchecked) private var places: [(start: Int, end: Int)] = []
    @exclusivity(unchecked) private var normalizer = TextNormalizer()

    /// - Parameter source: where the texts of a class come from.
    init(_ isDescending: Bool, _ source: @escaping (ClassFields) -> ValueSource<String?>) {
        self.source = source
        self.isDescending = isDescending
    }

    override func turn(to fields: ClassFields) {
        let source = source(fields)
        read = source.read
        field = source.field.flatMap { $0.form.valueType == String.self ? $0 : nil }
    }

    override func append(_ cursor: RowCursor) throws {
        if let field {
            let isDone = try cursor.read(field.index, offset: field.offset, size: 4) { _ in
                false
            } inRecord: { start, count in
                guard let text = RecordText.bytes(at: start, count), RecordText.isASCII(text)
                else { return false }
                bytes.append(contentsOf: text)
                places.append((bytes.count - text.count, bytes.count))
                return true
            }
            if isDone { return }
        }
        guard let text = try read?(cursor) else { return places.append((bytes.count, -1)) }
        append(text)
    }

    private func append(_ text: String) {
        let start = bytes.count
        var text = text
        let isInert = text.withUTF8 { utf8 in
            guard TextNormalizer.isInert(utf8) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        if !isInert {
            normalizer.normalize(text)
            for scalar in normalizer.output.lazy.compactMap(Unicode.Scalar.init) {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        places.append((start, bytes.count))
    }

    override func removeLast() {
        guard let last = places.popLast() else { return }
        bytes.removeSubrange(last.start...)
    }

    override func keep(_ indices: [Int]) {
        places = indices.map { places[$0] }
        let size = places.reduce(0) { $0 + max($1.end - $1.start, 0) }
        // What is left behind goes when it is more than what stays.
        guard size < bytes.count / 2 else { return }
        var kept: [UInt8] = []
        kept.reserveCapacity(size)
        for index in places.indices {
            let place = places[index]
            let start = kept.count
            if place.end >= 0 { kept.append(contentsOf: bytes[place.start..<place.end]) }
            places[index] = (start, place.end < 0 ? -1 : kept.count)
        }
        bytes = kept
    }

    override func order(_ one: Int, _ other: Int) -> Int {
        let (one, other) = (places[one], places[other])
        let order: Int
        if one.end < 0 || other.end < 0 {
            order = (one.end < 0 ? 0 : 1) - (other.end < 0 ? 0 : 1)
        } else {
            order = bytes.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return 0 }
                let (size, otherSize) = (one.end - one.start, other.end - other.start)
                let order = memcmp(base + one.start, base + other.start, min(size, otherSize))
                return order == 0 ? size - otherSize : Int(order)
            }
        }
        return isDescending ? -order : order
    }

    override func prefixes() -> [UInt64]? {
        let common = commonLength
        return places.map { place in
            var prefix: UInt64 = 0
            if place.end >= 0 {
                for index in 0..<8 {
                    let position = place.start + common + index
                    let byte = position < place.end ? UInt64(bytes[position]) : 0
                    prefix = prefix << 8 | byte
                }
                // A bit tells a text from none.
                prefix = prefix >> 1 | 1 << 63
            }
            return isDescending ? ~prefix : prefix
        }
    }

    /// How many bytes all texts begin with.
    private var commonLength: Int {
        guard let first = places.first(where: { $0.end >= 0 }) else { return 0 }
        var common = first.end - first.start
        for place in places where place.end >= 0 {
            common = min(common, place.end - place.start)
            var index = 0
            while index < common, bytes[place.start + index] == bytes[first.start + index] {
                index += 1
            }
            common = index
        }
        return common
    }
}
