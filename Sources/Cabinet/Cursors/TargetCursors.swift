import CabinetBackend

/// Turns from objects to the targets of a relationship of theirs, without making objects of either.
final class TargetCursors {
    private struct Place {
        let cursor: RowCursor
        let record = DataBuffer()
    }

    private unowned let store: Store
    private let field: ClassFields.Field
    private let form: TargetForm
    /// By class number.
    @exclusivity(unchecked) private var places: [UInt8: Place] = [:]

    init(_ store: Store, _ field: ClassFields.Field, _ form: TargetForm) {
        (self.store, self.field, self.form) = (store, field, form)
    }

    /// Calls `body` with a cursor at the target of `owner`; `nil` for none or a deleted one.
    /// - Throws: ``StoreError/classNotRegistered(_:)``, why a record cannot be read, what `body` throws.
    func withTarget<Result>(
        of owner: RowCursor, _ body: (RowCursor?) throws -> Result
    ) throws -> Result {
        guard let target = try owner.target(field, form) else { return try body(nil) }
        let place = try place(of: target.classNumber)
        let storedClass = place.cursor.fields.storedClass
        if let object = storedClass.existing(target.row) {
            if object.state.contains(.deleted) { return try body(nil) }
            if object.state.isDisjoint(with: [.fault, .unreadable]) {
                place.cursor.take(object)
                return try body(place.cursor)
            }
        }
        guard try store.readRecord(target.row, of: storedClass, into: place.record) else {
            return try body(nil)
        }
        return try place.record.withUnsafeBytes { record in
            let isThere = try place.cursor.take(record, at: target.row)
            return try body(isThere ? place.cursor : nil)
        }
    }

    private func place(of classNumber: UInt8) throws(StoreError) -> Place {
        if let known = places[classNumber] { return known }
        let storedClass = try store.registered(number: classNumber)
        let place = Place(cursor: RowCursor(store, store.fields(of: storedClass)))
        places[classNumber] = place
        return place
    }
}
