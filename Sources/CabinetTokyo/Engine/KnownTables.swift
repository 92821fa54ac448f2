import CabinetBackend

/// The tables of a store before a batch, as its draft asks for them.
struct KnownTables: TableDirectory {
    private let tables: [Table?]
    private let retired: Set<TableNumber>
    private let highestAtOpening: TableNumber
    private let reused: Set<TableNumber>

    /// - Parameters:
    ///   - retired: numbers whose tables were dropped while the store was open.
    ///   - highestAtOpening: numbers up to this one have a table or had one.
    ///   - reused: numbers of dropped tables that were given out again.
    init(
        _ tables: [Table?], retired: Set<TableNumber>, highestAtOpening: TableNumber,
        reused: Set<TableNumber>
    ) {
        self.tables = tables
        self.retired = retired
        self.highestAtOpening = highestAtOpening
        self.reused = reused
    }

    private func table(_ number: TableNumber) -> Table? {
        number.index < tables.count ? tables[number.index] : nil
    }

    /// The two tables that are always there may have no file yet.
    func kind(of number: TableNumber) -> TableKind? {
        table(number)?.kind ?? (number < .firstFree ? .named : nil)
    }

    func definition(of number: TableNumber) -> TableDefinition? {
        table(number)?.definition ?? TableDefinition.builtIn.first { $0.number == number }
    }

    var definitions: [TableDefinition] { tables.compactMap { $0?.definition } }

    func isSpent(_ number: TableNumber) -> Bool {
        (retired.contains(number) || number <= highestAtOpening) && !reused.contains(number)
    }
}
