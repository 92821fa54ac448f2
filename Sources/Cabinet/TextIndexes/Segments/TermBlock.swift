import CabinetBackend
import CabinetTextSearch

/// Terms of a segment in their order, with the number of rows of each: what misspelt words are looked for
/// in. Each term stands without what it has in common with the one before it.
enum TermBlock {
    /// The longest term, with its mark.
    private static let longest = TermBuffer.limit + 1

    /// Calls `body` with each term and the number of its rows, until it returns `false`. Returns whether
    /// it never did.
    /// - Throws: `DataBufferError` for bytes that are no such block; what `body` throws.
    static func forEachTerm(
        in bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, Int) throws -> Bool
    ) throws -> Bool {
        let damage = DataBufferError.invalidValue(type: "terms", offset: 0)
        var place = 0
        var term: [UInt8] = []
        while place < bytes.count {
            guard let common = Varint.read(bytes, &place),
                let count = Varint.read(bytes, &place), Int(common) <= term.count,
                Int(count) <= bytes.count - place, Int(common) + Int(count) <= longest
            else { throw damage }
            term.removeSubrange(Int(common)...)
            term.append(contentsOf: bytes[place..<place + Int(count)])
            place += Int(count)
            guard let rows = Varint.read(bytes, &place) else { throw damage }
            if try !term.withUnsafeBytes({ try body($0, Int(rows)) }) { return false }
        }
        return true
    }
}
