import CTokyoCabinet
import CabinetBackend

/// Makes the operations of commits happen in view files that are open for writing.
///
/// One loop over plain memory: no reference is counted and nothing allocated for a row.
struct Applier {
    private struct Slot {
        private(set) var hash: UnsafeMutablePointer<TCHDB>?
        /// Puts into `hash` without the library, where that can be done.
        private(set) var writer: HashWriter?
        /// Takes the changes of an ordered table; kept by ``sinks``.
        var sink: Unmanaged<OrderedSink>?
        /// Puts what is sealed; kept by ``putters``.
        var putter: Unmanaged<SealedPutter>?
        var isLegacy = false
        var hasSum = true

        init() {}

        init(_ table: Table) {
            isLegacy = table.keyForm == .legacy
            hasSum = table.values.hasSum
        }

        mutating func open(_ file: HashFile) {
            hash = file.writer
            writer = hash.flatMap { HashWriter($0, file.image) }
        }
    }

    private var slots: [Slot]
    private var sinks: [TableNumber: OrderedSink] = [:]
    private var putters: [TableNumber: SealedPutter] = [:]
    private let room = PutQueue.Room()
    /// Tables in whose files a change did not succeed: they must be rebuilt.
    private(set) var failed: Set<TableNumber> = []

    /// Operations on tables that are not added are passed over.
    ///
    /// - Parameter highest: the highest number of a table, as far as is known.
    init(highest: TableNumber) {
        slots = Array(repeating: Slot(), count: highest.index + 1)
    }

    mutating func add(_ table: Table) {
        if let file = table.hashFile { add(table, file) } else { add(table, table.view) }
    }

    /// A view of the table other than its own.
    mutating func add(_ table: Table, _ view: Table.View) {
        switch view {
        case .hash(let file): add(table, file)
        case .ordered(let view): add(table.number, view)
        case .unavailable: return
        }
    }

    private mutating func add(_ table: Table, _ file: HashFile) {
        var slot = Slot(table)
        slot.open(file)
        if let seal = table.values.seal {
            let putter = SealedPutter(seal)
            slot.putter = Unmanaged.passUnretained(putter)
            putters[table.number] = putter
        }
        set(slot, of: table.number)
    }

    /// What takes the changes of an ordered table.
    mutating func add(_ table: TableNumber, _ sink: OrderedSink) {
        var slot = Slot()
        slot.sink = Unmanaged.passUnretained(sink)
        sinks[table] = sink
        set(slot, of: table)
    }

    private mutating func set(_ slot: Slot, of table: TableNumber) {
        if table.index >= slots.count {
            let missing = table.index + 1 - slots.count
            slots.append(contentsOf: repeatElement(Slot(), count: missing))
        }
        slots[table.index] = slot
    }

    /// Goes on with a hash file of an added table. It may have been opened again since.
    mutating func renew(_ file: HashFile, of table: TableNumber) {
        guard table.index < slots.count, slots[table.index].hash != nil else { return }
        slots[table.index].open(file)
    }

    /// Sets how far the library may extend the file of a table.
    func setReserve(_ size: UInt64, of table: TableNumber) {
        slots[table.index].hash?.pointee.xfsiz = size
    }

    mutating func remove(_ table: TableNumber) {
        guard table.index < slots.count else { return }
        if slots[table.index].sink != nil { sinks[table] = nil }
        if slots[table.index].putter != nil { putters[table] = nil }
        slots[table.index] = Slot()
    }

    /// Returns ``failed`` and empties it.
    mutating func takeFailed() -> Set<TableNumber> {
        defer { if !failed.isEmpty { failed = [] } }
        return failed
    }

    /// Applies a chunk of operations, which are whole.
    mutating func apply(_ operations: UnsafeRawBufferPointer) {
        slots.withUnsafeBufferPointer { slots in
            var queue = PutQueue(in: room)
            var reader = OperationReader(operations)
            while let operation = reader.next() {
                Self.apply(operation, slots, &queue, &failed)
            }
            queue.drain(&failed)
        }
    }

    /// Applies one operation.
    mutating func apply(_ operation: Operation) {
        slots.withUnsafeBufferPointer { slots in
            var queue = PutQueue(in: room)
            Self.apply(operation, slots, &queue, &failed)
            queue.drain(&failed)
        }
    }

    @inline(__always)
    private static func apply(
        _ operation: borrowing Operation, _ slots: UnsafeBufferPointer<Slot>,
        _ queue: inout PutQueue, _ failed: inout Set<TableNumber>
    ) {
        switch operation {
        case .putRow(let table, let row, let stored):
            guard table.index < slots.count, let hash = slots[table.index].hash else { return }
            let form: KeyForm = slots[table.index].isLegacy ? .legacy : .decimal
            if let putter = slots[table.index].putter {
                let writer = slots[table.index].writer
                return withKey(of: row, form) { key in
                    putter._withUnsafeGuaranteedRef {
                        if !$0.put(key, stored, hash, writer) { failed.insert(table) }
                    }
                }
            }
            let value = content(of: stored, slots[table.index].hasSum)
            if let writer = slots[table.index].writer {
                return queue.add(row, form, value, writer, table, &failed)
            }
            withKey(of: row, form) { if !put(hash, $0, value) { failed.insert(table) } }
        case .deleteRow(let table, let row):
            guard table.index < slots.count, let hash = slots[table.index].hash else { return }
            queue.drain(&failed)
            withKey(of: row, slots[table.index].isLegacy ? .legacy : .decimal) {
                if !delete(hash, $0) { failed.insert(table) }
            }
        case .putKey(let table, let key, let stored):
            guard table.index < slots.count else { return }
            guard let hash = slots[table.index].hash else {
                slots[table.index].sink?._withUnsafeGuaranteedRef { $0.put(key, stored: stored) }
                return
            }
            if let putter = slots[table.index].putter {
                let writer = slots[table.index].writer
                return putter._withUnsafeGuaranteedRef {
                    if !$0.put(name: key, stored, hash, writer) { failed.insert(table) }
                }
            }
            let value = content(of: stored, slots[table.index].hasSum)
            if let writer = slots[table.index].writer {
                return queue.add(key, value, writer, table, &failed)
            }
            if !put(hash, key, value) { failed.insert(table) }
        case .deleteKey(let table, let key):
            guard table.index < slots.count else { return }
            guard let hash = slots[table.index].hash else {
                slots[table.index].sink?._withUnsafeGuaranteedRef { $0.delete(key) }
                return
            }
            if let putter = slots[table.index].putter {
                return putter._withUnsafeGuaranteedRef {
                    if !$0.delete(name: key, hash) { failed.insert(table) }
                }
            }
            queue.drain(&failed)
            if !delete(hash, key) { failed.insert(table) }
        case .define, .drop, .note, .unknown: return
        }
    }

    private static func withKey(
        of row: RowID, _ form: KeyForm, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
            guard let room = room.baseAddress else { return }
            body(Table.key(of: row, form, in: room))
        }
    }

    /// What a file that is not sealed holds of a value with its sum behind it.
    @inline(__always)
    private static func content(
        of stored: UnsafeRawBufferPointer, _ hasSum: Bool
    ) -> UnsafeRawBufferPointer {
        hasSum ? stored : Checksum.value(of: stored)
    }

    @inline(__always)
    static func put(
        _ hash: UnsafeMutablePointer<TCHDB>, _ key: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer
    ) -> Bool {
        tchdbput(
            hash, key.baseAddress ?? Nowhere.address, Int32(truncatingIfNeeded: key.count),
            value.baseAddress ?? Nowhere.address, Int32(truncatingIfNeeded: value.count))
    }

    @inline(__always)
    static func delete(
        _ hash: UnsafeMutablePointer<TCHDB>, _ key: UnsafeRawBufferPointer
    ) -> Bool {
        tchdbout(hash, key.baseAddress ?? Nowhere.address, Int32(truncatingIfNeeded: key.count))
            || tchdbecode(hash) == Int32(TCENOREC)
    }
}
