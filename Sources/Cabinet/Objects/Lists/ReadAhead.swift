import CabinetBackend

/// What a store over a remote engine need not ask for: records that were read before their objects were touched, by
/// the lists that say what is likely to be touched next, and sizes of tables for estimates.
///
/// A record is given once: from then on its object has the content.
final class ReadAhead {
    /// How many faults of a list are read with the one that is touched.
    static let count = 64
    /// How far on in a list these are looked for.
    private static let span = 4 * count
    /// Lists are known that have so many objects together: a megabyte.
    private static let mostListed = 1 << 17
    /// More records that nothing has asked for are forgotten.
    private static let mostRecords = 4096

    /// Objects as numbers, in the order of a list, and where one was asked for last.
    private struct List {
        let numbers: [UInt64]
        var last = 0
    }

    /// Those that were read or used last come last.
    private var lists: [List] = []
    private var listed = 0
    private var records: [UInt64: [UInt8]] = [:]
    private var basis: CommitNumber = 0
    private var counts: [TableNumber: (count: Int, uses: Int)] = [:]

    static func number(of row: RowID, _ storedClass: StoredClass) -> UInt64 {
        UInt64(storedClass.number) << 32 | UInt64(row.rawValue)
    }

    // MARK: Lists

    /// A list was read whose objects are likely to be touched in this order.
    func note(_ objects: [StoredObject]) {
        note(
            objects.compactMap { object in
                object.storedClass.map { Self.number(of: object.rowID, $0) }
            })
    }

    func note(_ slots: ObjectSlots, of storedClass: StoredClass) {
        note(
            (0..<slots.count).compactMap { slots.row(at: $0) }.map {
                Self.number(of: $0, storedClass)
            })
    }

    /// An object of a list is asked for of which only rows are known.
    /// - Parameter following: the object and those behind it, so many of them.
    func note(_ number: UInt64, _ following: (_ count: Int) -> [UInt64]) {
        if records[number] != nil { return }
        if let list = lists.last, list.numbers[list.last...].prefix(Self.span).contains(number) {
            return
        }
        note(following(Self.span))
    }

    private func note(_ numbers: [UInt64]) {
        if numbers.count < 2 { return }
        lists.append(List(numbers: numbers))
        listed += numbers.count
        guard listed > Self.mostListed, lists.count > 1 else { return }
        // Half of them, so that many short lists are not moved each time.
        lists.removeFirst(lists.count / 2)
        listed = lists.reduce(0) { $0 + $1.numbers.count }
    }

    /// The rows of the class that follow on one in a list and are not in memory, as far as `isWanted` says.
    func rows(after row: RowID, of storedClass: StoredClass, _ isWanted: (RowID) -> Bool) -> [RowID]
    {
        let number = Self.number(of: row, storedClass)
        guard let (list, place) = find(number) else { return [] }
        lists[list].last = place
        if list < lists.count - 1 { lists.append(lists.remove(at: list)) }
        let following = lists[lists.count - 1].numbers[(place + 1)...]
        var rows: [RowID] = []
        for next in following.prefix(Self.span)
        where rows.count < Self.count && next >> 32 == number >> 32 && records[next] == nil {
            let row = RowID(UInt32(truncatingIfNeeded: next))
            if isWanted(row) { rows.append(row) }
        }
        return rows
    }

    private func find(_ number: UInt64) -> (list: Int, place: Int)? {
        for (index, list) in lists.enumerated().reversed() {
            // Mostly the next one that was not read with the last.
            let near = list.numbers[list.last...].prefix(Self.span).firstIndex(of: number)
            if let place = near ?? list.numbers.firstIndex(of: number) { return (index, place) }
        }
        return nil
    }

    // MARK: Sizes of tables

    /// How many records a table had when that was asked last, for estimates: given some times, and then to be
    /// asked again.
    func count(of table: TableNumber) -> Int? {
        guard let known = counts[table], known.uses < 64 else { return nil }
        counts[table]?.uses += 1
        return known.count
    }

    func note(_ count: Int, of table: TableNumber) {
        // A table that fills is asked again soon.
        counts[table] = (count, count < 1024 ? 60 : 0)
    }

    // MARK: Records

    /// Forgets what was read as of another commit.
    func move(to basis: CommitNumber) {
        if basis == self.basis { return }
        self.basis = basis
        records = [:]
    }

    func take(_ row: RowID, of storedClass: StoredClass) -> [UInt8]? {
        records.isEmpty ? nil : records.removeValue(forKey: Self.number(of: row, storedClass))
    }

    func put(_ record: UnsafeRawBufferPointer, at row: RowID, of storedClass: StoredClass) {
        if records.count >= Self.mostRecords { records = [:] }
        records[Self.number(of: row, storedClass)] = [UInt8](record)
    }
}
