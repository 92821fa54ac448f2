import CabinetBackend

extension SQLCore {
    private func giveOut<Result>(
        _ body: (Session) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        try checkWritable()
        return try pool.write { session throws(BackendError) in
            try session.transaction(.bookkeeping) { () throws(BackendError) in
                try body(session)
            }
        }
    }

    func reserveRows(
        _ count: UInt32, in table: TableNumber
    ) throws(BackendError) -> ClosedRange<RowID> {
        try checkWritable()
        return try route.reserveRows(count, in: table, self)
    }

    /// Takes rows in a transaction of its own.
    func takeRows(
        _ count: UInt32, in table: TableNumber
    ) throws(BackendError) -> ClosedRange<RowID> {
        try giveOut { session throws(BackendError) in
            var numbers = try NumbersOfTable(table, session)
            let first = numbers.next
            let wanted = Int64(max(count, 1))
            guard first + wanted <= Int64(RowID.max.rawValue) else { throw .rowsExhausted(table) }
            numbers.next += wanted
            try numbers.write(to: session)
            return RowID(UInt32(first))...RowID(UInt32(first + wanted - 1))
        }
    }

    func reserveTable() throws(BackendError) -> TableNumber {
        try checkWritable()
        return try route.reserveTable(self)
    }

    /// Takes a number in a transaction of its own.
    func takeTable() throws(BackendError) -> TableNumber {
        try giveOut { session throws(BackendError) in try Self.reserveTable(session) }
    }

    private static func reserveTable(_ session: Session) throws(BackendError) -> TableNumber {
        let next = try session.statement("SELECT next_table FROM store").firstNumber()
        guard let number = UInt16(exactly: next ?? -1) else { throw .tablesExhausted }
        try session.connection.run("UPDATE store SET next_table = next_table + 1")
        return TableNumber(number)
    }

    // MARK: Claims

    func claim(_ wanted: TableClaim) throws(BackendError) -> TableDefinition {
        try route.claim(wanted, self)
    }

    /// Claims a table in a transaction of its own.
    func claimTable(_ wanted: TableClaim) throws(BackendError) -> TableDefinition {
        let folded = TableDefinition(number: .max, kind: wanted.kind, name: wanted.name)
            .foldedName
        // What is there is told to those who only read, too. As of the last commit, known or not.
        let known = try pool.read { session in
            session.tables.byName[folded].flatMap { session.tables.definition(of: $0) }
        }
        if let known {
            guard known.kind == wanted.kind else { throw .badTableName(wanted.name) }
            return known
        }
        return try giveOut { session throws(BackendError) in
            try Self.grant(wanted, folded, session)
        }
    }

    private static func grant(
        _ wanted: TableClaim, _ folded: String, _ session: Session
    ) throws(BackendError) -> TableDefinition {
        if let number = session.tables.byName[folded],
            let found = session.tables.definition(of: number)
        {
            guard found.kind == wanted.kind else { throw .badTableName(wanted.name) }
            return found
        }
        let version = wanted.kind == .record ? wanted.classVersion : 0
        var made = TableDefinition(
            number: .max, kind: wanted.kind, name: wanted.name, classVersion: version,
            flags: wanted.flags)
        guard made.hasValidName else { throw .badTableName(wanted.name) }
        let (claims, tables) = (try claims(session), session.tables.definitions)
        if let claim = claims[folded], !session.tables.isSpent(claim.number),
            isFree(claim, tables)
        {
            guard claim.kind == wanted.kind else { throw .badTableName(wanted.name) }
            return claim
        }
        var classNumber: UInt8 = 0
        if wanted.kind == .record {
            let others = claims.filter {
                $0.key != folded && !session.tables.isSpent($0.value.number)
            }
            let used = Set(
                (tables + others.values).lazy.filter { $0.kind == .record }.map(\.classNumber))
            guard let free = (0...UInt8.max).first(where: { !used.contains($0) }) else {
                throw .classNumbersExhausted
            }
            classNumber = free
        }
        made = TableDefinition(
            number: try number(for: wanted, session), kind: wanted.kind, name: wanted.name,
            classNumber: classNumber, classVersion: version, flags: wanted.flags)
        try write(made, folded, session)
        return made
    }

    /// Whether no table has a claim's number or class number: callers may define unclaimed.
    private static func isFree(_ claim: TableDefinition, _ tables: [TableDefinition]) -> Bool {
        !tables.contains {
            $0.number == claim.number
                || claim.kind == .record && $0.kind == .record
                    && $0.classNumber == claim.classNumber
        }
    }

    private static func number(
        for wanted: TableClaim, _ session: Session
    ) throws(BackendError) -> TableNumber {
        guard wanted.kind == .ordered, wanted.flags.contains(.derived),
            let free = session.tables.reusable()
        else { return try reserveTable(session) }
        try session.connection.run("DELETE FROM tables WHERE number = \(free)")
        try session.connection.run("UPDATE store SET directory = directory + 1")
        return free
    }

    private static func claims(
        _ session: Session
    ) throws(BackendError) -> [String: TableDefinition] {
        let statement = try session.statement(
            "SELECT folded, number, kind, name, class, version, flags FROM claims")
        defer { statement.reset() }
        var found: [String: TableDefinition] = [:]
        while try statement.step() {
            guard let kind = TableKind(rawValue: UInt8(truncatingIfNeeded: statement.number(2)))
            else { throw session.damaged("the table of claims") }
            found[statement.text(0)] = TableDefinition(
                number: TableNumber(UInt16(truncatingIfNeeded: statement.number(1))), kind: kind,
                name: statement.text(3),
                classNumber: UInt8(truncatingIfNeeded: statement.number(4)),
                classVersion: UInt8(truncatingIfNeeded: statement.number(5)),
                flags: TableFlags(rawValue: UInt8(truncatingIfNeeded: statement.number(6))))
        }
        return found
    }

    private static func write(
        _ claim: TableDefinition, _ folded: String, _ session: Session
    ) throws(BackendError) {
        let delete = try session.statement("DELETE FROM claims WHERE folded = $1")
        delete.bind(folded, at: 1)
        try delete.run()
        let insert = try session.statement(
            "INSERT INTO claims VALUES ($1, $2, $3, $4, $5, $6, $7)")
        insert.bind(folded, at: 1)
        insert.bind(Int64(claim.number.rawValue), at: 2)
        insert.bind(Int64(claim.kind.rawValue), at: 3)
        insert.bind(claim.name, at: 4)
        insert.bind(Int64(claim.classNumber), at: 5)
        insert.bind(Int64(claim.classVersion), at: 6)
        insert.bind(Int64(claim.flags.rawValue), at: 7)
        try insert.run()
    }
}
