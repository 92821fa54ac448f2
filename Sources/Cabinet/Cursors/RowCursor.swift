import CabinetBackend

/// The object that a query is looking at: its record, or the object itself where that is in memory.
/// It is made only when it is asked for.
final class RowCursor {
    private unowned let store: Store
    let fields: ClassFields
    private let storedClass: StoredClass
    private let reader = DataBuffer()
    private let values = DataBuffer(capacity: 16)

    private(set) var row: RowID = .none
    private(set) var objectsRead = 0
    private var record = UnsafeRawBufferPointer(start: nil, count: 0)
    private let shape: RecordShape
    /// Whether it stands at records alone, whatever is in memory: its objects are copies.
    let isOfRecords: Bool
    private var loaded: StoredObject?
    /// The object's own memory, if its content is there.
    private var memory: UnsafeRawPointer?
    /// Where fields begin in the record, as far as looked for; in an entry all, −1 for none.
    private let starts: UnsafeMutablePointer<Int>
    private var located = 0
    /// Whether it stands at entries of an index, and not at records.
    private let isOfEntries: Bool

    /// Thrown where an object has gone since its record was met, or the record was passed over.
    struct Gone: Error {}

    /// Thrown where more is asked for than the entry of an index gives back: the query begins again
    /// by records.
    struct NotInEntry: Error {}

    init(
        _ store: Store, _ fields: ClassFields, ofRecords: Bool = false, ofEntries: Bool = false
    ) {
        isOfRecords = ofRecords
        isOfEntries = ofEntries
        self.store = store
        self.fields = fields
        storedClass = fields.storedClass
        shape = fields.shape
        starts = .allocate(capacity: fields.count + 1)
        if ofEntries { starts.initialize(repeating: -1, count: fields.count + 1) }
    }

    deinit { starts.deallocate() }

    /// Turns to the record of `row`. `false` if its object was deleted.
    @inline(__always)
    func take(_ record: UnsafeRawBufferPointer, at row: RowID) throws -> Bool {
        self.row = row
        if !isOfRecords, let existing = storedClass.existing(row) {
            if existing.state.contains(.deleted) { return false }
            if existing.state.isDisjoint(with: [.fault, .unreadable]) {
                take(existing)
                return true
            }
        }
        stand(at: record)
        return try isPlain(record) || loadIfThere()
    }

    @inline(__always)
    private func stand(at record: UnsafeRawBufferPointer) {
        self.record = record
        loaded = nil
        memory = nil
        located = 1
        starts[0] = 1
    }

    @inline(never)
    private func loadIfThere() throws -> Bool {
        do { try load() } catch is Gone { return false }
        return true
    }

    /// Turns to an object that has its content.
    func take(_ object: StoredObject) {
        row = object.rowID
        loaded = object
        memory = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    }

    /// Turns to what an entry gives back of the object of `row`: `values` in the form of records,
    /// at the places of ``setStart(of:_:)``. The object is not looked for.
    @inline(__always)
    func take(entry values: UnsafeRawBufferPointer, at row: RowID) {
        self.row = row
        record = values
        loaded = nil
        memory = nil
        located = 0
    }

    /// Sets where a field begins in the values of the next entry.
    @inline(__always)
    func setStart(of field: Int, _ start: Int) { starts[field] = start }

    /// Holds the object no longer, nor the store, which may hold it.
    func leave() {
        loaded = nil
        memory = nil
        reader.context = nil
    }

    /// Whether the record is of the present layout, and its number one byte.
    @inline(__always)
    private func isPlain(_ record: UnsafeRawBufferPointer) -> Bool {
        guard fields.areReadable, let layouts = storedClass.layouts, let first = record.first
        else { return false }
        return first == layouts.currentByte && first != RecordLayouts.escape && !layouts.isUnsaved
    }

    /// Makes sure that the object has its content in memory, or turns to a record with the same values.
    @inline(never)
    private func load() throws {
        if isOfEntries { throw NotInEntry() }
        if let layouts = storedClass.layouts {
            let isMade = record.baseAddress == UnsafeRawPointer(reader.memory.baseAddress)
            switch layouts.content(of: isMade ? nil : record, at: row, in: reader) {
            case .ofObject: break
            case .current(let record): return stand(at: record)
            case .passedOver: throw Gone()
            }
        }
        if isOfRecords {
            // What indexes have of it must not depend on what has been deleted since.
            let copy = try store.keepingGone {
                try store.copy(of: record, at: row, of: storedClass, by: reader)
            }
            objectsRead += 1
            return take(copy)
        }
        guard let object = try store.meet(record, at: row, of: storedClass, by: reader) else {
            throw Gone()
        }
        objectsRead += 1
        take(object)
    }

    /// The object, with its content.
    /// - Throws: why the record cannot be read.
    @inline(__always)
    func object() throws -> StoredObject {
        if loaded == nil { try load() }
        guard let loaded else { throw Gone() }
        return loaded
    }

    var isInMemory: Bool { memory != nil }

    // MARK: Values

    /// Calls `inMemory` with the field's value in the object, or `inRecord` with the bytes of the
    /// record that begin with it, at least `size`, and their number.
    @inline(__always)
    func read<Value>(
        _ field: Int, offset: Int, size: Int, inMemory: (UnsafeRawPointer) throws -> Value,
        inRecord: (UnsafeRawPointer, Int) throws -> Value
    ) throws -> Value {
        if let memory { return try inMemory(memory + offset) }
        if let start = start(of: field), let base = record.baseAddress,
            start &+ size <= record.count
        {
            return try inRecord(base + start, record.count &- start)
        }
        return try inMemory(try contentBeyondRecord() + offset)
    }

    func read<Value>(_ field: ClassFields.Field, _ form: ValueForm<Value>) throws -> Value {
        if memory == nil, let start = start(of: field.index) {
            values.borrow(record)
            values.move(to: start)
            if let value = try? form.read(from: values) { return value }
        }
        let content = try memory ?? contentBeyondRecord()
        return (content + field.offset).assumingMemoryBound(to: Value.self).pointee
    }

    /// Reads a value of unknown type; `nil` for an object in memory, or an unclear record.
    func readAny(_ field: ClassFields.Field) throws -> Any? {
        guard memory == nil, let start = start(of: field.index) else { return nil }
        values.borrow(record)
        values.move(to: start)
        return try? field.form.readAny(from: values)
    }

    /// Calls `body` with the bytes of a field, from its front, as its coder writes them.
    func readBytes<Value>(
        _ field: ClassFields.RawField, _ body: (DataBuffer) throws -> Value
    ) throws -> Value {
        if memory == nil, let start = start(of: field.index) {
            values.borrow(record)
            values.move(to: start)
            if let value = try? body(values) { return value }
        }
        let content = try memory ?? contentBeyondRecord()
        let buffer = DataBuffer()
        field.coder.write(at: content + field.offset, to: buffer)
        return try body(buffer)
    }

    /// The content of an object whose record is not as it should be: reading it says what is wrong.
    @inline(never)
    private func contentBeyondRecord() throws -> UnsafeRawPointer {
        try load()
        guard let memory else { throw Gone() }
        return memory
    }

    /// Where the field begins in the record; `nil` if the record ends before.
    @inline(__always)
    private func start(of field: Int) -> Int? {
        field < located ? starts[field] : locate(field)
    }

    private func locate(_ field: Int) -> Int? {
        if isOfEntries { return starts[field] < 0 ? nil : starts[field] }
        guard let base = record.baseAddress else { return nil }
        let count = record.count
        var index = located
        var start = starts[index - 1]
        while index <= field {
            guard let end = shape.end(of: index - 1, from: start, in: base, count) else {
                return nil
            }
            starts[index] = end
            start = end
            index += 1
        }
        located = index
        return start
    }
}
