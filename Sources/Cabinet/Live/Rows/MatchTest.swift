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
        guard try store.readRecord(row, of: storedClass, into: record) else { return nil }
        return try record.withUnsafeBytes { bytes in
            guard try cursor.take(bytes, at: row) else { return nil }
            return try take(cursor, asked.filter, body)
        }
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
        for asked in asked.values {
            asked.cursor.leave()
            asked.ofRecords.leave()
        }
    }
}
