import CabinetBackend

/// What every table of a store is and was, as far as frozen readers may ask. A value.
package struct TableVersions: Sendable {
    struct Version {
        var since: Int64
        var until: Int64
        var definition: TableDefinition
        /// Whether what it held was removed.
        var isGone: Bool
    }

    /// In the order of time, of each table.
    private var versions: [TableNumber: [Version]] = [:]
    /// By folded name, those that are there now.
    package private(set) var byName: [String: TableNumber] = [:]

    /// Reads all of them.
    /// - Parameter statement: gives each version, in the order of numbers and time.
    init(_ statement: any SQLStatement, _ host: any SQLHost) throws(BackendError) {
        defer { statement.reset() }
        while try statement.step() {
            try add((0..<9).map { $0 == 4 ? 0 : statement.number($0) }, statement.text(4), host)
        }
    }

    /// Adds a version, behind all others of its table.
    /// - Parameter numbers: the columns of the table of tables, with anything in the place of the name.
    package mutating func add(
        _ numbers: [Int64], _ name: String, _ host: any SQLHost
    ) throws(BackendError) {
        guard let kind = TableKind(rawValue: UInt8(truncatingIfNeeded: numbers[3])) else {
            throw host.damaged("the table of tables")
        }
        let definition = TableDefinition(
            number: TableNumber(UInt16(truncatingIfNeeded: numbers[0])), kind: kind, name: name,
            classNumber: UInt8(truncatingIfNeeded: numbers[5]),
            classVersion: UInt8(truncatingIfNeeded: numbers[6]),
            flags: TableFlags(rawValue: UInt8(truncatingIfNeeded: numbers[7])))
        add(
            Version(
                since: numbers[1], until: numbers[2], definition: definition,
                isGone: numbers[8] != 0))
    }

    package init() {}

    private mutating func add(_ version: Version) {
        versions[version.definition.number, default: []].append(version)
        guard version.until == SQLSchema.open else { return }
        byName[version.definition.foldedName] = version.definition.number
    }

    // MARK: Changing

    package mutating func define(_ definition: TableDefinition, at commit: Int64) {
        if let last = versions[definition.number]?.last, last.until == SQLSchema.open {
            drop(definition.number, at: commit)
            // Defined twice by one commit.
            if last.since == commit { versions[definition.number]?.removeLast() }
        }
        add(
            Version(
                since: commit, until: SQLSchema.open, definition: definition, isGone: false))
    }

    /// The table's definition is in force no more.
    package mutating func drop(_ number: TableNumber, at commit: Int64) {
        guard var last = versions[number]?.popLast() else { return }
        last.until = commit
        byName[last.definition.foldedName] = nil
        versions[number]?.append(last)
    }

    // MARK: Asking

    /// The kind of a table as of a commit; `nil`: it was not there.
    package func kind(of number: TableNumber, at commit: Int64) -> TableKind? {
        if number < .firstFree { return .named }
        return version(of: number, at: commit)?.definition.kind
    }

    private func version(of number: TableNumber, at commit: Int64) -> Version? {
        versions[number]?.last { $0.since <= commit && commit < $0.until }
    }

    /// All tables as of a commit, in the order of their numbers.
    package func all(at commit: Int64) -> [TableDefinition] {
        versions.keys.compactMap { version(of: $0, at: commit)?.definition }
            .inOrder { $0.number < $1.number }
    }

    /// The kind of a table whose rows or keys still stand somewhere, though it may have been dropped.
    package func kindOfContent(_ number: TableNumber) -> TableKind? {
        if number < .firstFree { return .named }
        guard let last = versions[number]?.last, !last.isGone else { return nil }
        return last.definition.kind
    }

    /// Whether a table was dropped after a commit, and is not there.
    package func wasDropped(_ number: TableNumber, after commit: Int64) -> Bool {
        guard let last = versions[number]?.last else { return false }
        return last.until != SQLSchema.open && last.until > commit
    }

    /// Tables that were dropped by a commit or before, and whose content is still there.
    func droppedContent(by commit: Int64) -> [TableDefinition] {
        versions.values.compactMap(\.last).filter { $0.until <= commit && !$0.isGone }
            .map(\.definition)
    }

    /// The lowest number of a derived ordered table of which nothing is left.
    func reusable() -> TableNumber? {
        versions.values.compactMap(\.last).filter {
            $0.isGone && $0.definition.kind == .ordered
                && $0.definition.flags.contains(.derived)
        }.map(\.definition.number).min()
    }
}

extension TableVersions: TableDirectory {
    package func kind(of number: TableNumber) -> TableKind? { definition(of: number)?.kind }

    package func definition(of number: TableNumber) -> TableDefinition? {
        if number < .firstFree { return Self.always[number.index] }
        guard let last = versions[number]?.last, last.until == SQLSchema.open else { return nil }
        return last.definition
    }

    /// The tables that are always there.
    private static let always = [
        TableDefinition(number: .catalog, kind: .named, name: "Catalog"),
        TableDefinition(number: .namedBuffers, kind: .named, name: "NamedBuffers"),
    ]

    /// All tables but the two that are always there.
    package var definitions: [TableDefinition] { all(at: SQLSchema.open - 1) }

    package func isSpent(_ number: TableNumber) -> Bool {
        guard let last = versions[number]?.last else { return false }
        return last.until != SQLSchema.open
    }
}
