import CRivals

extension SpeedTest {
    /// The tests of `LedgerTest`: a bookkeeper's program beside the same tables, indexes and FTS5.
    static let ledger = [
        SpeedTest(
            name: "Ledger.import", unit: "entry", things: "entries", shares: [0.2],
            work: .insertLedger, expected: Expected.all, engines: ledgerEngines,
            check: (.ledgerMonths, Expected.months)),
        asked("Ledger.balances", "45 balances", 0.00001, .ledgerBalances, Expected.balances),
        asked("Ledger.months", "60 months", 1e-9, .ledgerMonths, Expected.months),
        asked("Ledger.latest", "page", 0.001, .ledgerLatest, Expected.latest),
        asked("Ledger.search", "search", 0.001, .ledgerSearch, Expected.words),
        SpeedTest(
            name: "Ledger.edits", unit: "save", things: "entries", shares: [0.2], stepShare: 0.01,
            isFull: false, preparation: .insertLedger,
            work: Work(cabinet: LedgerWork.edit, sqlite: sqlite_edit_ledger),
            expected: Expected.everyOtherStep, engines: ledgerEngines),
    ]

    private static let ledgerEngines: [Engine] = [.cabinet, .sqlite]

    private static func asked(
        _ name: String, _ unit: String, _ share: Double, _ work: Work,
        _ expected: @escaping @Sendable (Job) -> Proof
    ) -> SpeedTest {
        SpeedTest(
            name: name, unit: unit, things: "entries", shares: [0.2], stepShare: share,
            preparation: .insertLedger, stock: "ledger", work: work, expected: expected,
            engines: ledgerEngines)
    }
}

extension Work {
    static let insertLedger = Work(cabinet: LedgerWork.insert, sqlite: sqlite_import_ledger)
    static let ledgerBalances = Work(
        cabinet: LedgerWork.balances, sqlite: sqlite_ledger_balances)
    static let ledgerMonths = Work(cabinet: LedgerWork.months, sqlite: sqlite_ledger_months)
    static let ledgerLatest = Work(cabinet: LedgerWork.latest, sqlite: sqlite_ledger_latest)
    static let ledgerSearch = Work(cabinet: LedgerWork.search, sqlite: sqlite_ledger_search)
}
