import CabinetBackend

/// The catalog's entries of authors: under the number that commits bear, the text.
///
/// An author's number is a sum over its text, or the next one that no other author has. So a text is
/// found by one look, and two stores that enter one text at once meet in one key. Entries stay.
enum AuthorEntry {
    /// The longest text, in bytes of UTF-8.
    static let limit = 256

    static func isValid(_ text: String) -> Bool { (1...limit).contains(text.utf8.count) }

    /// The number that the author has, or is to get; 0 is none.
    /// - Returns: with `isThere`, whether the catalog has the author.
    static func find(
        _ text: String, in reader: any BackendReader
    ) throws(BackendError) -> (number: UInt32, isThere: Bool) {
        let wanted = Array(text.utf8)
        var number = max(sum(of: wanted), 1)
        while let found = try reader.catalogEntry(CatalogName.author(number)) {
            if found == wanted { return (number, true) }
            number = max(number &+ 1, 1)
        }
        return (number, false)
    }

    /// Adds the entry, which must not be there before the commit.
    static func enter(_ text: String, as number: UInt32, in batch: WriteBatch) throws(BackendError)
    {
        let key = Array(CatalogName.author(number).utf8)
        batch.require(.absent, key: key, in: .catalog)
        try batch.put(Array(text.utf8), for: key, in: .catalog)
    }

    /// FNV-1a, 32 bits (Fowler, Noll and Vo).
    static func sum(of bytes: [UInt8]) -> UInt32 {
        bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }
}

extension BackendReader {
    /// The author whose commits bear `number`; `nil` if the catalog has none, as for 0.
    package func author(_ number: UInt32) throws(BackendError) -> String? {
        if number == 0 { return nil }
        guard let bytes = try catalogEntry(CatalogName.author(number)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
