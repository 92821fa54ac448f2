import CTokyoCabinet
import CabinetBackend

/// Makes the operations of commits happen in view files that are open for writing.
///
/// One loop over plain memory: no reference is counted and nothing allocated for a row.
struct Applier {
    private struct Slot {
        var hash: UnsafeMutablePointer<TCHDB>?
        var isTree = false
        var isLegacy = false
        var checksums = true
    }

    private var slots: [Slot]
    private var trees: [TableNumber: OrderedFile] = [:]
    private var sorter = KeySorter()
    /// Tables in whose files a change did not succeed: they must be rebuilt.
    private(set) var failed: Set<TableNumber> = []

    /// Room for operations on tables with numbers up to `highest`; all others are passed over.
    init(highest: TableNumber) {
        slots = Array(repeating: Slot(), count: Int(highest) + 1)
    }

    mutating func add(_ table: Table, _ view: Table.View) {
        var slot = Slot(isLegacy: table.keyForm == .legacy, checksums: table.checksums)
        switch view {
        case .hash(let file):
            slot.hash = file.writer
        case .ordered(let file):
            slot.isTree = true
            trees[table.number] = file
        case .unavailable: return
        }
        slots[Int(table.number)] = slot
    }

    mutating func remove(_ table: TableNumber) {
        slots[Int(table)] = Slot()
        trees[table] = nil
    }

    /// Applies a chunk of operations, which are whole.
    mutating func apply(_ operations: UnsafeRawBufferPointer) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
            guard let room = room.baseAddress else { return }
            slots.withUnsafeBufferPointer { slots in
                var reader = OperationReader(operations)
                while let operation = reader.next() {
                    Self.apply(operation, slots, room, &sorter, &failed)
                }
            }
        }
        sorter.drain { table, key, stored in
            guard let tree = trees[table] else { return }
            let isDone = stored.map { tree.put(key, $0) } ?? tree.delete(key)
            if !isDone { failed.insert(table) }
        }
    }

    /// Applies one operation; those on ordered tables should come sorted.
    mutating func apply(_ operation: Operation) {
        switch operation {
        case .putKey(let table, let key, let stored) where trees[table] != nil:
            if trees[table]?.put(key, stored) == false { failed.insert(table) }
        case .deleteKey(let table, let key) where trees[table] != nil:
            if trees[table]?.delete(key) == false { failed.insert(table) }
        default:
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
                guard let room = room.baseAddress else { return }
                slots.withUnsafeBufferPointer { slots in
                    Self.apply(operation, slots, room, &sorter, &failed)
                }
            }
        }
    }

    @inline(__always)
    private static func apply(
        _ operation: borrowing Operation, _ slots: UnsafeBufferPointer<Slot>,
        _ room: UnsafeMutablePointer<UInt8>, _ sorter: inout KeySorter,
        _ failed: inout Set<TableNumber>
    ) {
        switch operation {
        case .putRow(let table, let row, let stored):
            guard Int(table) < slots.count, let hash = slots[Int(table)].hash else { return }
            let form: KeyForm = slots[Int(table)].isLegacy ? .legacy : .decimal
            let key = Table.key(of: row, form, in: room)
            if !put(hash, key, stored, slots[Int(table)].checksums) { failed.insert(table) }
        case .deleteRow(let table, let row):
            guard Int(table) < slots.count, let hash = slots[Int(table)].hash else { return }
            let form: KeyForm = slots[Int(table)].isLegacy ? .legacy : .decimal
            let key = Table.key(of: row, form, in: room)
            if !delete(hash, key) { failed.insert(table) }
        case .putKey(let table, let key, let stored):
            guard Int(table) < slots.count else { return }
            if slots[Int(table)].isTree {
                sorter.add(table, key, stored)
            } else if let hash = slots[Int(table)].hash,
                !put(hash, key, stored, slots[Int(table)].checksums)
            {
                failed.insert(table)
            }
        case .deleteKey(let table, let key):
            guard Int(table) < slots.count else { return }
            if slots[Int(table)].isTree {
                sorter.add(table, key, nil)
            } else if let hash = slots[Int(table)].hash, !delete(hash, key) {
                failed.insert(table)
            }
        case .define, .drop: return
        }
    }

    @inline(__always)
    private static func put(
        _ hash: UnsafeMutablePointer<TCHDB>, _ key: UnsafeRawBufferPointer,
        _ stored: UnsafeRawBufferPointer, _ checksums: Bool
    ) -> Bool {
        let length = checksums ? stored.count : stored.count - Operation.checksumSize
        return tchdbput(
            hash, key.baseAddress ?? Nowhere.address, Int32(truncatingIfNeeded: key.count),
            stored.baseAddress ?? Nowhere.address, Int32(truncatingIfNeeded: length))
    }

    @inline(__always)
    private static func delete(
        _ hash: UnsafeMutablePointer<TCHDB>, _ key: UnsafeRawBufferPointer
    ) -> Bool {
        tchdbout(hash, key.baseAddress ?? Nowhere.address, Int32(truncatingIfNeeded: key.count))
            || tchdbecode(hash) == Int32(TCENOREC)
    }
}
