import CabinetBackend

extension Ledger {
    /// The next save: money moves between accounts, entries are added under the new `rows` and
    /// old ones leave, the index follows, and the named buffers state the totals.
    package func nextSave(rows: ClosedRange<RowID>) -> [Change] {
        let number = saves + 1
        var random = SeededRandom(seed: seed, part: UInt64(number))
        var changes = tableChanges(number, &random)
        var balances: [RowID: UInt64] = [:]
        for _ in 0..<2 {
            let amount = random.next() % 1000
            balances[account(&random), default: 0] &+= amount
            balances[account(&random), default: 0] &-= amount
        }
        for (row, change) in balances.sorted(by: { $0.key < $1.key }) {
            let place = Place(Self.accounts, row: row)
            let balance = contents[place].map { Self.integer($0, at: 0) } ?? 0
            changes.append(.put(place, value(balance &+ change, &random)))
        }
        for row in rows {
            changes.append(.put(Place(Self.entries, row: row), value(UInt64(number), &random)))
            changes.append(.put(indexPlace(row), value(UInt64(row.rawValue), &random)))
        }
        let leaving = leavingRows(&random)
        for row in leaving {
            changes.append(.delete(Place(Self.entries, row: row)))
            changes.append(.delete(indexPlace(row)))
        }
        let entryCount = rowsOf(Self.entries).count + rows.count - leaving.count
        changes.append(
            .put(Self.savesPlace, Self.bytes(UInt64(number)) + Self.bytes(UInt64(entryCount))))
        let note = Place(table: .namedBuffers, key: Array("Note \(random.below(5))".utf8))
        changes.append(
            random.once(in: 4) && contents[note] != nil
                ? .delete(note) : .put(note, value(0, &random)))
        return changes
    }

    /// Defines the tables in the first save; later an archive now and then, which is dropped again.
    private func tableChanges(_ number: Int, _ random: inout SeededRandom) -> [Change] {
        if number == 1 {
            return [
                .define(definition(Self.accounts, .record, "Account")),
                .define(definition(Self.entries, .record, "Entry")),
                .define(definition(Self.index, .ordered, "Entry.1")),
            ]
        }
        guard number % 7 == 0 else { return [] }
        if let archive = tables.keys.max(), archive >= Self.firstArchive { return [.drop(archive)] }
        let archive = Self.firstArchive.advanced(by: number / 14)
        return [.define(definition(archive, .record, "Archive\(archive)"))]
            + archived(number, &random).enumerated().map { index, value in
                .put(Place(archive, row: RowID.first.advanced(by: index)), value)
            }
    }

    /// What an archive holds: where values are large, so much that its table is filled while the
    /// save that makes it is still being written.
    private func archived(_ number: Int, _ random: inout SeededRandom) -> [[UInt8]] {
        guard filling >= Self.largeFilling else { return [value(UInt64(number), &random)] }
        return (0..<20).map { index in
            Self.bytes(UInt64(number))
                + [UInt8](repeating: UInt8(index), count: 60_000 + random.below(4000))
        }
    }

    private static let largeFilling = 6000

    private func definition(
        _ number: TableNumber, _ kind: TableKind, _ name: String
    ) -> TableDefinition {
        // There is one archive at a time, and never one with the class number of another table.
        let low = UInt8(truncatingIfNeeded: number.rawValue)
        let classNumber = number < Self.firstArchive ? low : 128 | low
        return TableDefinition(
            number: number, kind: kind, name: name,
            classNumber: kind == .record ? classNumber : 0)
    }

    private func account(_ random: inout SeededRandom) -> RowID {
        RowID.first.advanced(by: random.below(Int(Self.accountCount)))
    }

    private func rowsOf(_ table: TableNumber) -> [RowID] {
        contents.keys.lazy.filter { $0.table == table }
            .compactMap(\.row).sorted()
    }

    private func leavingRows(_ random: inout SeededRandom) -> [RowID] {
        let rows = rowsOf(Self.entries)
        guard rows.count > 24 else { return [] }
        let first = random.below(rows.count - 3)
        return Array(rows[first..<first + 3])
    }

    /// A key in which rows that follow each other do not.
    private func indexPlace(_ row: RowID) -> Place {
        var random = SeededRandom(seed: seed, part: UInt64(row.rawValue))
        let mixed = random.next()
        return Place(
            table: Self.index, key: Array("\(mixed % 97)/".utf8) + Self.bytes(UInt64(row.rawValue)))
    }

    /// The number, and behind it anything: mostly a few bytes, now and then many.
    private func value(_ number: UInt64, _ random: inout SeededRandom) -> [UInt8] {
        let length =
            random.once(in: 12)
            ? random.below(filling * 10 + 1) : random.below(min(filling, 200) + 1)
        var result = Self.bytes(number)
        result.reserveCapacity(8 + length)
        for _ in 0..<(length / 8) { result += Self.bytes(random.next()) }
        return result
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
