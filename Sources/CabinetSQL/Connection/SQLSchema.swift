import CabinetBackend

/// The tables of a store in a database, but for those of rows and keys, which its own tables get.
///
/// | table | content |
/// |---|---|
/// | `store` | one row: what changes with each commit. The session that may write it makes the next commit |
/// | `lines` | the first commit of each line, and the line's number |
/// | `tables` | each definition that a table has had, from one commit until another |
/// | `numbers` | how many rows a table has, the highest row ever put or left to a silent session, and the next one to give out |
/// | `past_counts` | how many rows a table had until a commit |
/// | `claims` | tables that were claimed and are not defined |
/// | `commits`, `parts` | when each of the latest commits was made, and its operations |
/// | `past_rows`, `past_keys` | what stood at a row or under a key until a commit; NULL: nothing |
/// | `sessions` | who uses the store, and the oldest commit that each holds |
/// | `work` | what is claimed to be done, and by whom |
/// | `r_N`, `o_N` | the rows or keys of table N, which commit made each, and its value with its CRC |
package enum SQLSchema {
    /// The number of this form of the tables.
    package static let format: Int64 = 1
    /// The end of what has none.
    package static let open = Int64.max

    /// The pieces of SQL that make an empty store.
    package static func making(_ words: SQLWords, identity: Int64) -> [String] {
        tables(words) + [
            "INSERT INTO store VALUES (1, \(identity), 0, 0, 1, \(TableNumber.firstFree), 0, 0, 0, 0)"
        ]
    }

    private static func tables(_ words: SQLWords) -> [String] {
        let (integer, bytes) = (words.integer, words.bytes)
        let number = "\(integer) NOT NULL"
        func past(_ name: String, _ column: String, _ type: String) -> [String] {
            [
                "CREATE TABLE \(name) (tbl \(number), \(column) \(type) NOT NULL, until \(number), "
                    + "made \(number), value \(bytes), PRIMARY KEY (tbl, \(column), until))"
                    + words.inKeyOrder,
                "CREATE INDEX \(name)_until ON \(name) (until)",
            ]
        }
        return [
            "CREATE TABLE store (id \(words.rowNumber), identity \(number), last \(number), "
                + "oldest \(number), directory \(number), next_table \(number), "
                + "feed_oldest \(number), feed_size \(number), place \(number), loose \(number))",
            "CREATE TABLE lines (first \(words.rowNumber), number \(number))",
            "CREATE TABLE tables (number \(number), since \(number), until \(number), "
                + "kind \(number), name TEXT NOT NULL, class \(number), version \(number), "
                + "flags \(number), gone \(number), PRIMARY KEY (number, since))",
            "CREATE TABLE numbers (tbl \(words.rowNumber), rows \(number), highest \(number), "
                + "next \(number))",
            "CREATE TABLE past_counts (tbl \(number), until \(number), rows \(number), "
                + "PRIMARY KEY (tbl, until))\(words.inKeyOrder)",
            "CREATE TABLE claims (folded TEXT PRIMARY KEY, number \(number), kind \(number), "
                + "name TEXT NOT NULL, class \(number), version \(number), flags \(number))",
            "CREATE TABLE commits (number \(words.rowNumber), time \(number), author \(number), "
                + "size \(number), operations \(bytes))",
            "CREATE TABLE parts (number \(number), part \(number), operations \(bytes) NOT NULL, "
                + "PRIMARY KEY (number, part))",
            "CREATE TABLE sessions (id \(words.rowNumber), realm TEXT NOT NULL, process \(number), "
                + "began \(number), beat \(number), hold \(integer))",
            "CREATE TABLE work (name TEXT PRIMARY KEY, session \(number))",
        ] + past("past_rows", "row", integer) + past("past_keys", "key", bytes)
            + [TableNumber.catalog, .namedBuffers].map { table(.named, $0, words) }
    }

    /// What makes the rows or keys of a table.
    static func table(_ kind: TableKind, _ number: TableNumber, _ words: SQLWords) -> String {
        let rest = "made \(words.integer) NOT NULL, value \(words.bytes) NOT NULL"
        guard kind != .record else {
            return "CREATE TABLE \(name(kind, number)) (row \(words.rowNumber), \(rest))"
        }
        return
            "CREATE TABLE \(name(kind, number)) (key \(words.bytes) PRIMARY KEY NOT NULL, \(rest))"
            + words.inKeyOrder
    }

    /// What the rows or keys of a table stand in.
    package static func name(_ kind: TableKind, _ number: TableNumber) -> String {
        (kind == .record ? "r_" : "o_") + number.description
    }

    /// The column of a row's number or of a key.
    package static func column(_ kind: TableKind) -> String { kind == .record ? "row" : "key" }

    /// Where past rows or keys stand.
    package static func past(_ kind: TableKind) -> String {
        kind == .record ? "past_rows" : "past_keys"
    }
}
