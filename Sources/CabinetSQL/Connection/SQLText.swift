import CabinetBackend

/// The statements that a session keeps prepared.
enum SQLText: Hashable {
    // MARK: The store
    case state, tables, lines, addLine, setState
    // MARK: Rows and keys, as of a commit
    case value(TableKind, TableNumber)
    case pastValue(TableKind)
    case rows(TableNumber)
    case pastRows
    case keys(TableNumber, isBounded: Bool, descending: Bool)
    case pastKeys(isBounded: Bool, descending: Bool)
    case count(TableNumber, isBounded: Bool)
    case pastCountOfKeys(isBounded: Bool)
    case numbers, pastCount
    // MARK: Changes of rows and keys
    case insert(TableKind, TableNumber, columns: [String] = [])
    case update(TableKind, TableNumber, columns: [String] = [])
    case delete(TableKind, TableNumber)
    case keep(TableKind, TableNumber)
    case mark(TableKind)
    case setNumbers, keepCount
    // MARK: Commits
    case commit, part, addCommit, addPart

    /// - Parameter words: those of the database.
    func text(_ words: SQLWords) -> String {
        switch self {
        case .state:
            "SELECT last, oldest, directory, feed_oldest, feed_size, place, loose FROM store"
        case .tables:
            "SELECT number, since, until, kind, name, class, version, flags, gone FROM tables "
                + "ORDER BY number, since"
        case .lines: "SELECT first, number FROM lines WHERE first <= $1 ORDER BY first"
        case .addLine: "INSERT INTO lines VALUES ($1, $2)"
        case .setState:
            "UPDATE store SET last = $1, oldest = $2, directory = $3, feed_oldest = $4, "
                + "feed_size = $5, place = $6, loose = $7"
        case .commit: "SELECT time, author, size, operations FROM commits WHERE number = $1"
        case .part: "SELECT operations FROM parts WHERE number = $1 AND part = $2"
        case .addCommit: "INSERT INTO commits VALUES ($1, $2, $3, $4, $5)"
        case .addPart: "INSERT INTO parts VALUES ($1, $2, $3)"
        case .numbers: "SELECT rows, highest, next FROM numbers WHERE tbl = $1"
        case .pastCount:
            "SELECT rows FROM past_counts WHERE tbl = $1 AND until > $2 ORDER BY until LIMIT 1"
        case .setNumbers:
            "INSERT INTO numbers VALUES ($1, $2, $3, $4) ON CONFLICT (tbl) DO UPDATE SET "
                + "rows = excluded.rows, highest = excluded.highest, next = excluded.next"
        case .keepCount: "INSERT INTO past_counts VALUES ($1, $2, $3)"
        case .value, .pastValue, .rows, .pastRows, .keys, .pastKeys, .count, .pastCountOfKeys:
            reading
        case .insert, .update, .delete, .keep, .mark: changing
        }
    }

    /// Of the past, only what a commit saw: made by it or before, and replaced later. The index of when
    /// things were replaced is of no use there.
    private var reading: String {
        switch self {
        case .value(let kind, let table):
            "SELECT made, value FROM \(SQLSchema.name(kind, table)) "
                + "WHERE \(SQLSchema.column(kind)) = $1"
        case .pastValue(let kind):
            "SELECT made, value FROM \(SQLSchema.past(kind)) WHERE tbl = $1 "
                + "AND \(SQLSchema.column(kind)) = $2 AND until > $3 ORDER BY until LIMIT 1"
        case .rows(let table):
            "SELECT row, value FROM r_\(table) WHERE row > $1 AND made <= $2 ORDER BY row"
        case .pastRows:
            "SELECT row, value FROM past_rows WHERE tbl = $1 AND row > $2 AND +until > $3 "
                + "AND made <= $3 AND value IS NOT NULL ORDER BY row"
        case .keys(let table, let isBounded, let descending):
            "SELECT key, value FROM o_\(table) WHERE made <= $1 AND key >= $2"
                + Self.rest(isBounded, descending)
        case .pastKeys(let isBounded, let descending):
            "SELECT key, value FROM past_keys WHERE made <= $1 AND key >= $2"
                + (isBounded ? " AND key < $3" : "")
                + " AND tbl = \(isBounded ? "$4" : "$3") AND +until > $1 AND value IS NOT NULL"
                + (descending ? " ORDER BY key DESC" : " ORDER BY key")
        case .count(let table, let isBounded):
            "SELECT count(*) FROM (SELECT 1 FROM o_\(table) WHERE made <= $1 AND key >= $2"
                + (isBounded ? " AND key < $3 LIMIT $4) some" : " LIMIT $3) some")
        case .pastCountOfKeys(let isBounded):
            "SELECT count(*) FROM past_keys WHERE made <= $1 AND key >= $2"
                + (isBounded ? " AND key < $3" : "")
                + " AND tbl = \(isBounded ? "$4" : "$3") AND +until > $1 AND value IS NOT NULL"
        default: ""
        }
    }

    private static func rest(_ isBounded: Bool, _ descending: Bool) -> String {
        (isBounded ? " AND key < $3" : "") + (descending ? " ORDER BY key DESC" : " ORDER BY key")
    }

    /// The columns of an insertion and their parameters, in this order.
    static func columns(_ more: [String], from first: [String]) -> String {
        let all = first + more
        let parameters = (1...all.count).map { "$\($0)" }.joined(separator: ", ")
        return "(\(all.joined(separator: ", "))) VALUES (\(parameters))"
    }

    private var changing: String {
        switch self {
        case .insert(let kind, let table, let columns):
            "INSERT INTO \(SQLSchema.name(kind, table)) "
                + Self.columns(columns, from: [SQLSchema.column(kind), "made", "value"])
                + " ON CONFLICT DO NOTHING"
        case .update(let kind, let table, let columns):
            "UPDATE \(SQLSchema.name(kind, table)) SET made = $2, value = $3"
                + columns.enumerated().map { ", \($0.element) = $\($0.offset + 4)" }.joined()
                + " WHERE \(SQLSchema.column(kind)) = $1"
        case .delete(let kind, let table):
            "DELETE FROM \(SQLSchema.name(kind, table)) WHERE \(SQLSchema.column(kind)) = $1"
        case .keep(let kind, let table):
            "INSERT INTO \(SQLSchema.past(kind)) SELECT \(table), \(SQLSchema.column(kind)), $2, "
                + "made, value FROM \(SQLSchema.name(kind, table)) "
                + "WHERE \(SQLSchema.column(kind)) = $1 AND made < $2"
        case .mark(let kind):
            "INSERT INTO \(SQLSchema.past(kind)) VALUES ($1, $2, $3, $3, NULL) "
                + "ON CONFLICT DO NOTHING"
        default: ""
        }
    }
}
