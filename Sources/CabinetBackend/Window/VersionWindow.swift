/// What rows, keys and tables were before each commit since the oldest one that a reader holds.
///
/// While no reader holds a commit, nothing is kept and ``isKeeping`` is false, which an engine asks
/// once a commit. Otherwise it notes what a commit replaces before it applies the change; of a row
/// that changes many times, a value is kept for each reader at most: 28 bytes and the value, and 20
/// bytes for each row that has changed at all. The same notes say what has changed since a commit.
///
/// Not `Sendable`: the engine's lock guards it. Questions change nothing, so any number of threads
/// may ask at the same time.
package final class VersionWindow {
    // Unchecked, because the lock orders all accesses, and nothing calls back into a window.

    /// Ascending by their commits.
    @exclusivity(unchecked) private var holds: [Hold] = []
    /// By number. An array: the first dictionary of a kind has the runtime look through every
    /// protocol conformance of the program.
    @exclusivity(unchecked) private var tables: [VersionedTable?] = []
    private let scratch = DataBuffer()
    /// How many values were kept since those were last given up that no reader needs, and how many
    /// rows and keys were left then.
    @exclusivity(unchecked) private var notes = 0
    @exclusivity(unchecked) private var sizeLeft = 0

    /// Whether a reader holds a commit: then changes are to be noted.
    @exclusivity(unchecked) package private(set) var isKeeping = false

    /// The highest commit that a reader holds; 0 for none.
    @exclusivity(unchecked) package private(set) var newest: CommitNumber = 0

    package init() { scratch.sizeLimit = .max }

    /// The oldest commit that a reader holds.
    package var oldest: CommitNumber? { holds.first?.commit }

    // MARK: Holding

    /// A reader begins to hold the last commit, `number`.
    package func hold(_ number: CommitNumber) -> Hold {
        let hold = Hold(number)
        holds.append(hold)
        noteHolds()
        return hold
    }

    /// A reader does not hold its commit any more.
    package func release(_ hold: Hold) {
        guard let index = holds.firstIndex(where: { $0 === hold }) else { return }
        holds.remove(at: index)
        noteHolds()
        guard isKeeping else { return forget() }
        // Each note pays for looking at one row that is left, so that many short reads beside a
        // long one cost no more than the commits in between.
        if notes > sizeLeft { trim() }
    }

    /// Gives up all commits that readers hold: what they were is not known.
    package func giveUpAll() {
        for hold in holds { hold.isGivenUp = true }
        removeAll()
    }

    /// Forgets everything: none of the readers will ask again.
    package func removeAll() {
        holds = []
        noteHolds()
        forget()
    }

    private func noteHolds() {
        isKeeping = !holds.isEmpty
        newest = holds.last?.commit ?? 0
    }

    private func forget() {
        tables = []
        (notes, sizeLeft) = (0, 0)
    }

    private func trim() {
        var held: [CommitNumber] = []
        for hold in holds where held.last != hold.commit { held.append(hold.commit) }
        (notes, sizeLeft) = (0, 0)
        for case let table? in tables {
            table.trim(held: held, scratch)
            sizeLeft += table.size
        }
    }

    // MARK: Tables

    /// What is remembered of a table; `nil`: nothing.
    @inline(__always)
    func found(_ number: TableNumber) -> VersionedTable? {
        number.index < tables.count ? tables[number.index] : nil
    }

    /// What is remembered of a table, to be added to.
    func table(_ number: TableNumber) -> VersionedTable {
        if let table = found(number) { return table }
        if number.index >= tables.count {
            tables.append(
                contentsOf: repeatElement(nil, count: number.index + 1 - tables.count))
        }
        let table = VersionedTable()
        tables[number.index] = table
        return table
    }

    /// Calls `body` with what is remembered of a table, with memory for it to use, and takes note
    /// that something more is kept.
    func keeping(in number: TableNumber, _ body: (VersionedTable, DataBuffer) -> Void) {
        notes += 1
        body(table(number), scratch)
    }

    /// The tables whose definition may have been another one before.
    package var redefinedTables: [TableNumber] {
        tables.indices.filter { tables[$0]?.definitions.isEmpty == false }
            .map { TableNumber(UInt16(truncatingIfNeeded: $0)) }
    }

    func rows(of number: TableNumber) -> RecordTable? { found(number)?.rows }
    func keys(of number: TableNumber) -> OrderedTable? { found(number)?.keys }
}
