import CabinetBackend

/// Asks single objects whether they meet a query's condition.
final class MatchTest<Object: StoredObject> {
    private struct Asked {
        let filter: Filter
        let cursor: RowCursor
        let ofRecords: RowCursor
    }

    private unowned let store: Store
    let classes: [StoredClass]
    /// By class number.
    private var asked: [UInt8: Asked] = [:]
    private let record = DataBuffer()
    /// By class number: what reads many records at once.
    private var lookups: [UInt8: RecordLookup] = [:]

    init(_ store: Store, _ query: ObjectQuery<Object>, _ classes: [StoredClass]) throws {
        self.store = store
        self.classes = classes
        for storedClass in classes {
            let fields = store.fields(of: storedClass)
            asked[storedClass.number] = Asked(
                filter: try query.criterion.condition(fields, in: store).filter,
                cursor: RowCursor(store, fields),
                ofRecords: RowCursor(store, fields, ofRecords: true))
        }
    }

    /// The objects of `numbers` are going to be asked, in this order, and then ``leave()`` is called.
    func prepare(_ numbers: some Collection<UInt64>) {
        if numbers.count < 16 { return }
        for storedClass in classes {
            lookups[storedClass.number] = RecordLookup(of: storedClass)
        }
        for number in numbers {
            lookups[UInt8(truncatingIfNeeded: number >> 32)]?
                .append(RowID(UInt32(truncatingIfNeeded: number)))
        }
    }

    /// What `body` makes of the object of a number; `nil` if there is none, or it does not meet the
    /// condition.
    /// - Parameter isOfRecords: whether its record is asked, whatever is pending of it.
    func ask<Result>(
        _ number: UInt64, ofRecords isOfRecords: Bool, _ body: (RowCursor) throws -> Result
    ) throws -> Result? {
        let row = RowID(UInt32(truncatingIfNeeded: number))
        guard let asked = asked[UInt8(truncatingIfNeeded: number >> 32)] else { return nil }
        let cursor = isOfRecords ? asked.ofRecords : asked.cursor
        let storedClass = cursor.fields.storedClass
        if !isOfRecords, let object = storedClass.existing(row) {
            if object.state.contains(.deleted) || store.isGoneElsewhere(object, storedClass) {
                return nil
            }
            if object.state.isDisjoint(with: [.fault, .unreadable]) {
                cursor.take(object)
                return try take(cursor, asked.filter, body)
            }
        }
        func ask(_ bytes: UnsafeRawBufferPointer) throws -> Result? {
            guard try cursor.take(bytes, at: row) else { return nil }
            return try take(cursor, asked.filter, body)
        }
        if let lookup = lookups[storedClass.number] {
            switch try lookup.record(of: row, in: store) {
            case .absent: return nil
            case .record(let bytes): return try ask(bytes)
            case .damaged(let error): throw error
            }
        }
        guard try store.readRecord(row, of: storedClass, into: record) else { return nil }
        return try record.withUnsafeBytes(ask)
    }

    private func take<Result>(
        _ cursor: RowCursor, _ filter: Filter, _ body: (RowCursor) throws -> Result
    ) throws -> Result? {
        do { return try filter.accepts(cursor) ? try body(cursor) : nil } catch is RowCursor.Gone {
            return nil
        }
    }

    /// Holds no object any longer.
    func leave() {
        lookups = [:]
        for asked in asked.values {
            asked.cursor.leave()
            asked.ofRecords.leave()
        }
    }
}
