/// A query in text: a condition on declared fields, an order, a limit and an offset, each of which
/// may be left out.
///
/// ```swift
/// let name = "Coltrane"
/// let songs = store.query(Song.self)
/// try songs.filter(text: "artist = \(name) AND year > 1960 ORDER BY title DESC LIMIT 20").objects()
/// try songs.filter(text: "artist = ? AND year > ?", name, 1960).count()
/// ```
///
/// An interpolated value becomes a parameter: whatever it holds, it is a value and no part of the
/// condition. Words in capitals may be written in any case:
///
/// - `=`, `==`, `!=`, `<>`, `<`, `<=`, `>`, `>=`; `AND`, `OR`, `NOT` and parentheses;
/// - `field IN (1, 2)`, `field BETWEEN 1 AND 5` (both ends count), `field IS NULL`,
///   `field IS NOT NULL`, `field BEGINSWITH 'a'`, `field CONTAINS 'a'`, of a text or of an array,
///   `field LIKE 'a%_'`, each with a `NOT` before the word if wanted; a field of truth values by itself;
/// - numbers, `'text'` or `"text"` (a doubled quote stands for one), `TRUE`, `FALSE`, `NULL`, and
///   `?` for the next parameter;
/// - `ORDER BY field [DESC], …`, `LIMIT n`, `OFFSET n`; `?` may stand for a number.
///
/// A field is named as it is declared; in backquotes if it has the name of a word of the language. A field of
/// the object that a relationship to one leads to is `album.title`, also in the order; of an object without a
/// target it counts as a field without a value. A relationship itself compares with `NULL` alone.
///
/// In a pattern of `LIKE`, `%` stands for any characters, `_` for one, and `\` before one of these for that
/// character; letter case counts.
///
/// Texts compare as `String` does. Numbers of all types compare by their value. A field without a
/// value equals `NULL` alone and is in no order, so `year != 5` includes it. Dates may be written
/// as texts of ISO 8601 (`'2026-01-31'`, `'2026-01-31T12:00:00Z'`), UUIDs and URLs as texts; an
/// enum counts as its raw value.
///
/// Errors are found when the query is used. `Sendable`: a value.
public struct QueryText: Hashable, Sendable {
    /// The text, with `?` for each interpolated value.
    public let text: String
    /// Interpolated values by the offset of their `?` in the text's UTF-8.
    let interpolated: [Int: FieldValue]
    /// Values for the other `?`, in their order.
    var parameters: [FieldValue] = []

    /// A query with a value for each `?` in `text`.
    public init(_ text: String, parameters: [any QueryParameter] = []) {
        self.text = text
        interpolated = [:]
        self.parameters = parameters.map(\.queryValue)
    }

    /// The query with further values for `?`.
    func adding(_ more: [any QueryParameter]) -> QueryText {
        var text = self
        text.parameters += more.map(\.queryValue)
        return text
    }
}

extension QueryText: ExpressibleByStringInterpolation {
    /// Collects a text and the values in it. `Sendable`: a value.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        var text = ""
        var values: [Int: FieldValue] = [:]

        /// An empty text.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(min(max(literalCapacity, 0), 1 << 16))
        }

        /// Adds text of the query.
        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Adds a value that the query compares with.
        public mutating func appendInterpolation(_ value: some QueryParameter) {
            values[text.utf8.count] = value.queryValue
            text += "?"
        }

        /// Adds a value that the query compares with, or `NULL`. Without it the compiler would warn of a text that
        /// is made of an optional.
        public mutating func appendInterpolation(_ value: (some QueryParameter)?) {
            values[text.utf8.count] = value.queryValue
            text += "?"
        }
    }

    /// A query without interpolated values.
    public init(stringLiteral text: String) { self.init(text) }

    /// A query with interpolated values.
    public init(stringInterpolation parts: StringInterpolation) {
        text = parts.text
        interpolated = parts.values
    }
}
