/// What rows, keys and tables were before each commit since the oldest one that a reader holds.
///
/// While no reader holds a commit, nothing is kept and ``isKeeping`` is false, which an engine asks
/// once a commit. Otherwise it notes what a commit replaces before it applies the change; of a row
/// that changes many times, a value is kept for each reader at most: 12 bytes and the value, and 24
/// bytes for each row that has changed at all. The same notes say what has changed since a commit.
/// Values for which memory has no room go to a file; beyond a limit the oldest commit is given up.
///
/// Not `Sendable`: the engine's lock guards it. Questions change nothing, so any number of threads
/// may ask at the same time.
package final class VersionWindow {
    // Unchecked, because the lock orders all accesses, and nothing calls back into a window.

    /// Ascending by their commits.
    @exclusivity(unchecked) private var holds: [Hold] = []
    /// By number. An array: a first dictionary has the runtime look through all conformances.
    @exclusivity(unchecked) private var tables: [VersionedTable?] = []
    let scratch = DataBuffer()
    /// How many values were kept since the last trimming, and what was left then.
    @exclusivity(unchecked) private var notes = 0
    @exclusivity(unchecked) private var sizeLeft = 0
    /// How many bytes of memory the notes take, about.
    @exclusivity(unchecked) private(set) var memory = 0
    @exclusivity(unchecked) private var noted = 0

    private let limits: SnapshotLimits
    private let makeFile: () throws(BackendError) -> any SpillFile
    @exclusivity(unchecked) var spill: Spill?
    /// Whether no file can be made or written, so that values stay in memory.
    @exclusivity(unchecked) private var isSpillBroken = false

    /// A smaller value stays in memory: what the file would need there is as large.
    private static let leastSpilled = 16

    // From another module, a stored property's exclusivity would be checked all the same.
    @exclusivity(unchecked) private(set) var keeps = false
    @exclusivity(unchecked) private(set) var newestHeld: CommitNumber = 0

    /// Whether a reader holds a commit: changes must then be noted.
    package var isKeeping: Bool { keeps }

    /// The highest commit that a reader holds; 0 for none.
    package var newest: CommitNumber { newestHeld }

    /// A window that keeps nothing.
    ///
    /// - Parameter makeFile: makes an empty file without a name, once values are to go there. If it
    ///   throws, or the file does, values stay in memory.
    package init(
        limits: SnapshotLimits, makeFile: @escaping () throws(BackendError) -> any SpillFile
    ) {
        self.limits = limits
        self.makeFile = makeFile
        scratch.sizeLimit = .max
    }

    /// The oldest commit that a reader holds.
    package var oldest: CommitNumber? { holds.first?.commit }

    // MARK: Holding

    /// A reader begins to hold the last commit, `number`.
    package func hold(_ number: CommitNumber, label: String) -> Hold {
        let hold = Hold(number, label: label, notedBefore: noted)
        holds.append(hold)
        noteHolds()
        return hold
    }

    /// A reader does not hold its commit any more.
    package func release(_ hold: Hold) {
        hold.release()
        releaseAll()
    }

    /// Lets go of the commits whose readers are gone.
    package func releaseAll() {
        let count = holds.count
        holds.removeAll { $0.isReleased }
        guard holds.count < count else { return }
        noteHolds()
        guard keeps else { return forget() }
        // Each note pays for looking at one row that is left, so many short reads beside a long one
        // cost no more than the commits in between.
        if notes > sizeLeft { trim() }
    }

    /// Gives up all commits that readers hold: what they were is not known.
    package func giveUpAll() {
        for hold in holds { hold.giveUp() }
        removeAll()
    }

    /// The readers, oldest commits first.
    package var openSnapshots: [OpenSnapshot] {
        holds.filter { !$0.isReleased }.map {
            OpenSnapshot(
                commit: $0.commit, opened: $0.opened, bytes: noted - $0.notedBefore,
                label: $0.label)
        }
    }

    /// Forgets everything: none of the readers will ask again.
    package func removeAll() {
        holds = []
        noteHolds()
        forget()
    }

    private func noteHolds() {
        keeps = !holds.isEmpty
        newestHeld = holds.last?.commit ?? 0
    }

    private func forget() {
        tables = []
        spill = nil
        isSpillBroken = false
        (notes, sizeLeft, memory) = (0, 0, 0)
    }

    // MARK: Room

    private var size: Int { memory + (spill?.size ?? 0) }

    private func trim() {
        var held: [CommitNumber] = []
        for hold in holds where held.last != hold.commit { held.append(hold.commit) }
        (notes, sizeLeft, memory) = (0, 0, 0)
        for case let table? in tables {
            memory += table.trim(held: held, scratch)
            sizeLeft += table.size
        }
        if let spill { self.spill = shrunk(spill) }
    }

    /// A file of what is still needed of `spill`, if that is much less than it has.
    private func shrunk(_ spill: Spill) -> Spill? {
        var needed = 0
        try? forEachSpilled { value in
            needed += value.size
            return value.offset
        }
        guard needed > 0 else { return nil }
        guard spill.size > 2 * needed + Self.wasteAllowed else { return spill }
        do throws(BackendError) {
            let smaller = Spill(try makeFile())
            try forEachSpilled { value throws(BackendError) in
                try spill.read(value, into: scratch)
                _ = try scratch.withUnsafeBytes { bytes throws(BackendError) in
                    try smaller.add(bytes)
                }
                return value.offset
            }
            // The same walk gives the same order.
            var end: UInt64 = 0
            try forEachSpilled { value in
                defer { end += UInt64(value.size) }
                return end
            }
            return smaller
        } catch {
            return spill
        }
    }

    /// A file is not written again for less than this many bytes that are not needed: 16 MiB.
    private static let wasteAllowed = 16 << 20

    /// Calls `body` with each value in the file; it returns the offset that the value has now.
    private func forEachSpilled(
        _ body: (SpilledValue) throws(BackendError) -> UInt64
    ) throws(BackendError) {
        for case let table? in tables {
            try table.forEachVersions { versions throws(BackendError) in
                try versions.forEachSpilled(body)
            }
        }
    }

    /// Gives up the oldest commits until a quarter of the room is free.
    private func makeRoom() {
        trim()
        while let oldest, size > limits.total / 4 * 3 {
            while let hold = holds.first, hold.commit == oldest {
                hold.giveUp()
                holds.removeFirst()
            }
            noteHolds()
            if keeps { trim() } else { forget() }
        }
    }

    /// A value in the form in which it is kept: in memory, or in the file.
    func placed(_ value: UnsafeRawBufferPointer?) -> Version {
        guard let value else { return .absent }
        guard memory + value.count > limits.memory, value.count >= Self.leastSpilled,
            !isSpillBroken
        else { return .value(value) }
        do throws(BackendError) {
            if let spill { return .spilled(try spill.add(value)) }
            let made = Spill(try makeFile())
            spill = made
            return .spilled(try made.add(value))
        } catch {
            isSpillBroken = true
            return .value(value)
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

    /// Takes note that `more` bytes of memory are kept, or `valueSize` bytes in the file.
    @inline(__always)
    func count(_ more: Int, valueSize: Int = 0) {
        notes += 1
        memory += more
        noted += max(more, valueSize)
        if size > limits.total { makeRoom() }
    }

    /// The tables whose definition may have been another one before.
    package var redefinedTables: [TableNumber] {
        tables.indices.filter { tables[$0]?.definitions.isEmpty == false }
            .map { TableNumber(UInt16(truncatingIfNeeded: $0)) }
    }

    func rows(of number: TableNumber) -> NotedRows? { found(number)?.rows }
    func keys(of number: TableNumber) -> OrderedTable? { found(number)?.keys }
}
